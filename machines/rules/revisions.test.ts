import { expect, test } from 'vitest'
import { newest } from './revisions.ts'

test.each([
  ['of an older telling are overtaken', { revision: 5 }, { revision: 4 }, 'known'],
  ['of the same telling are not: a wish comes with them', { revision: 5 }, { revision: 5 }, 'told'],
  ['of a newer telling are news', { revision: 5 }, { revision: 6 }, 'told'],
  ['that nobody knew before are news', null, { revision: 1 }, 'told'],
  ['without a number are believed', { revision: 5 }, {}, 'told'],
  ['after facts without a number are believed', {}, { revision: 1 }, 'told'],
])('facts %s (MIRROR-3)', (_, known, told, which) => {
  expect(newest(known, told)).toBe(which === 'known' ? known : told)
})
