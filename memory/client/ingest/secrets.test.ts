import { expect, test } from 'vitest'
import { findSecrets } from './secrets.ts'

test.each([
  [`eyJ${'a1'.repeat(400)}.eyJ${'b2'.repeat(2000)}.${'c3'.repeat(20)}`, 'JSON Web Token'],
  ['git+ssh+https://rita:hunter22@forge.company.net', 'password in a URL'],
  ['one.two.three.four.five.six.seven.eight.postgresql://rita:hunter22@db.company.net', 'password in a URL'],
  ["secret_of_the_service_that_signs = 'q8Zr1LxT0vBn5KdW'", 'random value of a name that tells of secrets'],
])('a secret is found by its line: %.60s', (text, what) => {
  expect(findSecrets(`one\n${text}\n`)).toEqual([{ what, line: 2 }])
})

test.each(['secret', 'a.', 'a-', '-eyJ', '-eyJaaaaaaaaaa.', 'token=', 'a://b:cccccc@', '-----BEGIN A '])(
  'a text of 256 KiB that repeats %j is looked through in time',
  (word) => expect(findSecrets(word.repeat(2 ** 18 / word.length))).toEqual([]),
)
