import { expect, test } from 'vitest'
import { isOvertaken } from './revisions.ts'

test.each([
  ['of an older telling are overtaken', { revision: 5 }, { revision: 4 }, true],
  ['of the same telling are not: a wish comes with them', { revision: 5 }, { revision: 5 }, false],
  ['of a newer telling are news', { revision: 5 }, { revision: 6 }, false],
  ['that nobody knew before are news', null, { revision: 1 }, false],
  ['without a number are believed', { revision: 5 }, {}, false],
  ['after facts without a number are believed', {}, { revision: 1 }, false],
])('facts %s', (_, known, told, isOld) => {
  expect(isOvertaken(known, told)).toBe(isOld)
})
