import { expect, test } from 'vitest'
import type { FileFacts } from './facts.ts'
import { ecmascriptModules } from './resolve/ecmascript-modules.ts'
import { edgesOf } from './testing/folder.ts'

test('the names that tsconfig.json and jsconfig.json explain lead to files and their functions, also where a file of any name says how (EXTRACTION-9)', async () => {
  const page = (source: string): string =>
    `import { priceOf } from '${source}'\nexport function page() { return priceOf('x') }`
  const edges = await edgesOf(
    {
      'one/tsconfig.json': '{ "compilerOptions": { "baseUrl": "." } }',
      'one/src/price.ts': 'export function priceOf(id: string): number { return id.length }',
      'one/src/page.ts': page('src/price'),
      'two/jsconfig.json': '{ "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"] } } }',
      'two/src/price.js': 'export function priceOf(id) { return id.length }',
      'two/src/page.js': page('@/price'),
      'three/tsconfig.json': '{ "extends": "./base" }',
      'three/base.json': '{ "extends": "../shared/paths.json", "name": "x", "dependencies": { "left-pad": "1" } }',
      'shared/paths.json': '{ "compilerOptions": { "paths": { "@/*": ["../three/src/*"] } } }',
      'three/src/price.ts': 'export function priceOf(id: string): number { return id.length }',
      'three/src/page.ts': page('@/price'),
      'package.json': '{}',
      'four/a.ts': `import { Base } from 'somewhere'\nexport class A extends Base {}`,
    },
    'imports',
    'calls',
    'extends',
    'depends-on',
  )
  expect(edges).toEqual(
    [
      ...['one', 'three'].map((each) => `${each}/src/page.ts imports ${each}/src/price.ts 1`),
      ...['one', 'three'].map((each) => `${each}/src/page.ts#page calls ${each}/src/price.ts#priceOf 1`),
      'two/src/page.js imports two/src/price.js 1',
      'two/src/page.js#page calls two/src/price.js#priceOf 1',
      // As unsure as the import (EXTRACTION-4, EXTRACTION-10).
      'four/a.ts imports npm:somewhere 0.3',
      'four/a.ts#A extends npm:somewhere 0.3',
    ].toSorted(),
  )
})

const facts: FileFacts = {
  language: 'typescript',
  definitions: [],
  scopes: [],
  bindings: [],
  fields: [],
  uses: [],
  imports: [],
  exports: [],
}

/** Where an import of `source` in `file` leads, and how sure that is; all JSON counts as manifests. */
function found(file: string, source: string, files: Readonly<Record<string, string>>): string {
  const [manifests, sources] = [true, false].map((isJson) =>
    Object.entries(files).filter(([path]) => path.endsWith('.json') === isJson),
  )
  const finder = ecmascriptModules({
    files: new Map([...(sources ?? []).map(([path]) => path), file].map((path) => [path, facts])),
    manifests: new Map(manifests),
  })
  const target = finder.find(file, { source })
  if (target === undefined) return 'nothing'
  return 'module' in target ? target.module.files.join(' ') : `${target.external} ${target.sure ?? 1}`
}

test.each<[where: string, extended: string, files: Readonly<Record<string, string>>]>([
  [
    'above',
    '"../tsconfig.paths.json"',
    { 'tsconfig.paths.json': '{"compilerOptions":{"paths":{"@/*":["./app/src/*"]}}}' },
  ],
  ['beside, without .json', '"./paths"', { 'app/paths.json': '{"compilerOptions":{"paths":{"@/*":["./src/*"]}}}' }],
  [
    'below',
    '"./config/base.json"',
    { 'app/config/base.json': '{"compilerOptions":{"baseUrl":"../src","paths":{"@/*":["*"]}}}' },
  ],
  [
    'in a list, of which the last counts',
    '["./one.json", "./two.json"]',
    {
      'app/one.json': '{"compilerOptions":{"paths":{"@/*":["./none/*"]}}}',
      'app/two.json': '// whose paths\n{"compilerOptions":{"paths":{"@/*":["./src/*",],},}}',
    },
  ],
  [
    'in a package of the workspace',
    '"@acme/tsconfig/base.json"',
    {
      'tools/tsconfig/package.json': '{"name":"@acme/tsconfig"}',
      'tools/tsconfig/base.json': '{"extends":"./shared/paths.json"}',
      'tools/tsconfig/shared/paths.json': '{"compilerOptions":{"baseUrl":"../../../app","paths":{"@/*":["src/*"]}}}',
    },
  ],
  [
    'in a package of the workspace, as its tsconfig.json',
    '"@acme/tsconfig"',
    {
      'tools/tsconfig/package.json': '{"name":"@acme/tsconfig"}',
      'tools/tsconfig/tsconfig.json': '{"compilerOptions":{"paths":{"@/*":["${configDir}/src/*"]}}}',
    },
  ],
  [
    'behind a circle',
    '["./circle.json", "./paths.json"]',
    {
      'app/circle.json': '{"extends":"./tsconfig.json"}',
      'app/paths.json': '{"extends":"./circle.json","compilerOptions":{"paths":{"@/*":["./src/*"]}}}',
    },
  ],
])('paths of a config %s are those of who extends it (EXTRACTION-9)', (_where, extended, configs) => {
  const files = { 'app/tsconfig.json': `{ "extends": ${extended} }`, ...configs, 'app/src/lib/price.ts': '' }
  expect(found('app/src/page.ts', '@/lib/price', files)).toBe('app/src/lib/price.ts')
})

test('the nearest config of a file counts, and of its patterns the one with the longest beginning (EXTRACTION-9)', () => {
  const files = {
    'tsconfig.json': '{"compilerOptions":{"paths":{"@/*":["./src/*"],"@/lib/*":["./lib/*"]}}}',
    'src/lib/price.ts': '',
    'lib/price.ts': '',
    'app/tsconfig.json': '{"compilerOptions":{"paths":{"@/*":["./*"]}}}',
    'app/lib/price.ts': '',
    'bare/tsconfig.json': '{}',
    'part/tsconfig.build.json': '{}',
  }
  expect(found('src/page.ts', '@/lib/price', files)).toBe('lib/price.ts')
  expect(found('app/page.ts', '@/lib/price', files)).toBe('app/lib/price.ts')
  expect(found('bare/page.ts', '@/lib/price', files)).toBe('unresolved:@/lib/price 0.2')
  expect(found('part/page.ts', '@/lib/price', files)).toBe('lib/price.ts')
})

test('configs beside the nearest one, and files that it refers to, count too (EXTRACTION-9)', () => {
  const files = {
    'tsconfig.json':
      '{"files":[],"references":[{"path":"./tsconfig.app.json"},{"path":"./config/tsconfig.node.json"}]}',
    'tsconfig.app.json': '{"compilerOptions":{"paths":{"@/*":["./src/*"]}}}',
    'config/tsconfig.node.json': '{"compilerOptions":{"paths":{"#server/*":["../server/*"]}}}',
    'src/lib/price.ts': '',
    'server/price.ts': '',
  }
  expect(found('src/page.ts', '@/lib/price', files)).toBe('src/lib/price.ts')
  expect(found('server/page.ts', '#server/price', files)).toBe('server/price.ts')
  expect(found('server/page.ts', '#server/price', { ...files, 'tsconfig.json': '{}' })).toBe(
    'unresolved:#server/price 0.2',
  )
})

test('an alias for a file that is not read leads nowhere, as a path to it does, unless a manifest names it (EXTRACTION-10)', () => {
  const files = {
    'tsconfig.json': '{"compilerOptions":{"paths":{"@/*":["./src/*"],"vue/*":["./vue/*"],"*":["./types/*"]}}}',
    'package.json': '{"dependencies":{"vue":"1"}}',
  }
  expect(found('src/page.ts', './page.css', files)).toBe('nothing')
  expect(found('src/page.ts', '@/page.css', files)).toBe('nothing')
  expect(found('src/page.ts', 'vue/page.css', files)).toBe('npm:vue 1')
  expect(found('src/page.ts', 'lodash', files)).toBe('npm:lodash 0.3')
})

test('a file below baseUrl goes before what Node has of that name (EXTRACTION-9)', () => {
  const files = { 'tsconfig.json': '{"compilerOptions":{"baseUrl":"src"}}', 'src/constants.ts': '' }
  expect(found('src/page.ts', 'constants', files)).toBe('src/constants.ts')
  expect(found('src/page.ts', 'fs/promises', files)).toBe('node:fs/promises 1')
})

test('configs that extend each other without end are an end', () => {
  const chain = Array.from({ length: 4000 }, (_, at) => [
    `tsconfig.${at}.json`,
    `{"extends":"./tsconfig.${at + 1}.json"}`,
  ])
  const files = { 'tsconfig.json': '{"extends":"./tsconfig.0.json"}', ...Object.fromEntries(chain) }
  expect(found('page.ts', '@/lib/price', files)).toBe('unresolved:@/lib/price 0.2')
})

const declared = JSON.stringify({
  name: 'root',
  dependencies: { react: '1' },
  devDependencies: { '@types/estree': '1', '@types/babel__core': '1' },
  peerDependencies: { vue: '1' },
  optionalDependencies: { fsevents: '1' },
})

test.each([
  ['react/jsx-runtime', 'npm:react 1'],
  ['vue', 'npm:vue 1'],
  ['fsevents', 'npm:fsevents 1'],
  ['estree', 'npm:estree 1'],
  ['@babel/core', 'npm:@babel/core 1'],
  ['own-dependency', 'npm:own-dependency 1'],
  ['fs', 'node:fs 1'],
  ['node:test/reporters', 'node:test/reporters 1'],
  ['bun:test', 'bun:test 1'],
  ['https://deno.land/std/path.ts', 'https://deno.land/std/path.ts 1'],
  ['lodash/fp', 'npm:lodash 0.3'],
  ['@other/kit', 'npm:@other/kit 0.3'],
  ['lib/nothing', 'unresolved:lib/nothing 0.2'],
  ['@/lib/price', 'unresolved:@/lib/price 0.2'],
  ['~/lib/price', 'unresolved:~/lib/price 0.2'],
  ['$lib/price', 'unresolved:$lib/price 0.2'],
])('an import of %s is %s where manifests above the file say what it depends on (EXTRACTION-10)', (source, target) => {
  const files = {
    'package.json': declared,
    'packages/own/package.json': '{"dependencies":{"own-dependency":"1"}}',
    'packages/own/lib/price.ts': '',
    'packages/other/package.json': '{"name":"other","dependencies":{"lodash":"1"}}',
  }
  expect(found('packages/own/main.ts', source, files)).toBe(target)
})

test('data in place of a name leads nowhere: no id may be so long', () => {
  expect(found('main.ts', `data:text/javascript,${'x'.repeat(5000)}`, {})).toBe('nothing')
})

test('where no manifest is above a file, a name that may be a package is one (EXTRACTION-10)', () => {
  const files = { 'lib/price.js': '', 'sub/package.json': '{"dependencies":{}}' }
  expect(found('main.js', 'lodash/fp', files)).toBe('npm:lodash 1')
  expect(found('main.js', '@/lib/price', files)).toBe('unresolved:@/lib/price 0.2')
  expect(found('main.js', 'lib/nothing', files)).toBe('unresolved:lib/nothing 0.2')
  expect(found('sub/main.js', 'lodash/fp', files)).toBe('npm:lodash 0.3')
})
