import { expect, test } from 'vitest'
import { placesWithout } from './own-code.ts'

const aFile = (file: string): { id: string; type: string; name: string; file: string } => ({
  id: file,
  type: 'file',
  name: file,
  file,
})

test.each([
  ...['test/a.ts', 'src/tests/a.py', 'src/__tests__/a.js', 'src/test/java/A.java', 'pkg/testdata/a.go', 'test-d/a.ts'],
  ...['a.test.ts', 'src/a.spec.tsx', 'a.test-d.ts', 'test.js', 'a-test.mjs', 'lib/tests.rs', 'e2e/a.ts'],
  ...['test_a.py', 'pkg/a_test.py', 'conftest.py', 'pkg/a_test.go', 'a_test.cc', 'ParserTest.java', 'ParserTests.java'],
])('%s is a test by the conventions of its language (CODE-GRAPH-34)', (file) => {
  expect([...placesWithout([aFile(file)], ['tests'])]).toEqual([])
  expect([...placesWithout([aFile(file)], ['externals'])]).toEqual([0])
})

test.each([
  ...[
    'src/latest.ts',
    'testing/kit.ts',
    'attest/a.ts',
    'contest.py',
    'src/test-runner.ts',
    'spec.ts',
    'spec/schema.go',
  ],
  ...['src/testament.go', 'protest_a.py', 'Latest.java', 'Contest.java', 'openapi-spec.yaml', 'src/test.go'],
])('%s is none', (file) => {
  expect([...placesWithout([aFile(file)], ['tests', 'externals'])]).toEqual([0])
})

test('an external is one by its type, whatever its name', () => {
  const entities = [aFile('a.ts'), { id: 'npm:own', type: 'package', name: 'own', file: 'package.json' }]
  const others = ['npm:kit', 'test/gone.ts'].map((id) => ({ id, type: 'external', name: id }))
  expect([...placesWithout([...entities, ...others], ['externals'])]).toEqual([0, 1])
  expect([...placesWithout([...entities, ...others], ['tests'])]).toEqual([0, 1, 2, 3])
  expect([...placesWithout([...entities, ...others], [])]).toEqual([0, 1, 2, 3])
})
