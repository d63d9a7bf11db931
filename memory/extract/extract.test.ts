import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { edgesOf, extractFrom, folderOf } from './testing/folder.ts'

test('TypeScript: imports are followed through .js names, index files, re-exports and own packages; calls through types (EXTRACTION-1, EXTRACTION-2)', async () => {
  const edges = await edgesOf(
    {
      'package.json': '{"name":"root"}',
      'packages/lib/package.json': '{"name":"@acme/lib","exports":{".":"./dist/index.js"}}',
      'packages/lib/src/index.ts': `export * from './store.js'\nexport { helper as help } from './util/index.js'`,
      'packages/lib/src/store.ts': `export interface Store { load(): Item }\nexport class Item { open(): void {} }\nexport class Base { close(): void {} }`,
      'packages/lib/src/util/index.ts': 'export function helper(): void {}',
      'app.ts': `import { help, Item, Base, type Store } from '@acme/lib'
class Mine extends Base {
  constructor(private readonly store: Store) { super() }
  run(): void { help(); this.store.load().open(); this.close() }
}
export function main(): void { const helper = () => 1; helper(); new Mine(x).run() }`,
    },
    'calls',
    'imports',
    'extends',
  )
  const lib = 'packages/lib/src'
  expect(edges).toEqual(
    [
      `app.ts imports ${lib}/index.ts 1`,
      `${lib}/index.ts imports ${lib}/store.ts 1`,
      `${lib}/index.ts imports ${lib}/util/index.ts 1`,
      `app.ts#Mine extends ${lib}/store.ts#Base 1`,
      `app.ts#Mine.constructor calls ${lib}/store.ts#Base 0.95`,
      `app.ts#Mine.run calls ${lib}/util/index.ts#helper 1`,
      `app.ts#Mine.run calls ${lib}/store.ts#Store.load 0.95`,
      `app.ts#Mine.run calls ${lib}/store.ts#Item.open 0.85`,
      `app.ts#Mine.run calls ${lib}/store.ts#Base.close 0.95`,
      'app.ts#main calls app.ts#main.helper 1',
      'app.ts#main calls app.ts#Mine 1',
      'app.ts#main calls app.ts#Mine.run 0.95',
    ].toSorted(),
  )
})

test('TypeScript: its own package and what is built lead to sources, not to declarations for others (EXTRACTION-6)', async () => {
  const edges = await edgesOf(
    {
      'package.json':
        '{"name":"own","main":"dist/index.js","types":"old-typescript.d.ts","exports":{".":{"types":"./old-typescript.d.ts","import":"./dist/esm/index.js"},"./flat":"./dist/flat.js"}}',
      'old-typescript.d.ts': 'export declare class Migrator {}',
      'src/index.ts': `export { Migrator } from './migrator.js'`,
      'src/migrator.ts': 'export class Migrator { migrate(): void {} }',
      'flat.ts': 'export function flat(): void {}',
      'plain.js': 'exports.plain = function plain () {}',
      'plain.d.ts': 'export declare function plain(): void',
      'test/by-name.ts': `import { Migrator } from 'own'
import { flat } from 'own/flat'
export function one(): void { new Migrator().migrate(); flat() }`,
      'test/by-path.js': `const { Migrator } = require('../dist/cjs/index.js')
const { plain } = require('../plain')
function two () { new Migrator().migrate(); plain() }`,
      'typed/package.json': '{"name":"typed","types":"index.d.ts"}',
      'typed/index.d.ts': 'export declare function shape(): void',
      'test/typed.ts': `import { shape } from 'typed'
export function three(): void { shape() }`,
    },
    'imports',
  )
  expect(edges.filter((edge) => edge.startsWith('test/'))).toEqual([
    'test/by-name.ts imports flat.ts 1',
    'test/by-name.ts imports src/index.ts 1',
    'test/by-path.js imports plain.js 1',
    'test/by-path.js imports src/index.ts 1',
    'test/typed.ts imports typed/index.d.ts 1',
  ])
})

test('TypeScript: a package whose entry is its own folder leads nowhere, and the extraction goes on', async () => {
  const edges = await edgesOf(
    {
      'loop/package.json': '{"name":"loop","source":"src/main.ts","main":"."}',
      'void/package.json': '{"name":"void","main":"./","exports":{".":"./."}}',
      'loop/src/main.ts': 'export function run(): void {}',
      'app.ts': `import { run } from 'loop'\nimport 'void'\nimport './void'\nimport './loop'`,
    },
    'imports',
  )
  expect(edges.filter((edge) => edge.startsWith('app.ts'))).toEqual([
    'app.ts imports loop/src/main.ts 1',
    'app.ts imports npm:void 1',
  ])
})

test('JavaScript: require, module.exports, prototypes and what a factory returns are followed (EXTRACTION-1)', async () => {
  const edges = await edgesOf(
    {
      'lib/server.js': `function Server () { this.log = 1 }
Server.prototype.listen = function () {}
function build () { const app = { get: function () {} }; return app }
module.exports = { Server, build }`,
      'main.js': `const { Server, build } = require('./lib/server')
function start () { const s = new Server(); s.listen(); const app = build(); app.get() }`,
    },
    'calls',
    'imports',
  )
  expect(edges).toEqual(
    [
      'main.js imports lib/server.js 1',
      'main.js#start calls lib/server.js#Server 1',
      'main.js#start calls lib/server.js#Server.listen 0.95',
      'main.js#start calls lib/server.js#build 1',
      'main.js#start calls lib/server.js#build.app.get 0.85',
    ].toSorted(),
  )
})

test('a local name hides the imported one: no edge is made to what is not called', async () => {
  const edges = await edgesOf(
    {
      'a.ts': 'export function run(): void {}',
      'b.ts': `import { run } from './a.ts'\nexport function f(run: () => void) { run() }`,
    },
    'calls',
  )
  expect(edges).toEqual([])
})

test('Python: relative imports, packages, self, inheritance and annotated parameters (EXTRACTION-1, EXTRACTION-2)', async () => {
  const edges = await edgesOf(
    {
      'pkg/__init__.py': 'from .core import Engine\n',
      'pkg/core.py':
        'class Base:\n    def stop(self): pass\n\nclass Engine(Base):\n    def start(self):\n        self.stop()\n',
      'pkg/use.py':
        'from . import Engine\nfrom .core import Engine as E\n\ndef run(e: E):\n    e.start()\n    Engine().stop()\n',
    },
    'calls',
    'imports',
  )
  expect(edges).toEqual(
    [
      'pkg/__init__.py imports pkg/core.py 1',
      'pkg/core.py#Engine.start calls pkg/core.py#Base.stop 0.95',
      'pkg/use.py imports pkg/__init__.py 1',
      'pkg/use.py imports pkg/core.py 1',
      'pkg/use.py#run calls pkg/core.py#Engine 1',
      'pkg/use.py#run calls pkg/core.py#Engine.start 0.95',
      'pkg/use.py#run calls pkg/core.py#Base.stop 0.95',
    ].toSorted(),
  )
})

test('Go: packages are folders, methods belong to their receiver (EXTRACTION-1)', async () => {
  const edges = await edgesOf(
    {
      'go.mod': 'module example.com/app\n',
      'store/store.go':
        'package store\n\ntype Store struct{}\n\nfunc New() *Store { return &Store{} }\n\nfunc (s *Store) Save() { flush() }\n',
      'store/flush.go': 'package store\n\nfunc flush() {}\n',
      'main.go': 'package main\n\nimport "example.com/app/store"\n\nfunc main() {\n\ts := store.New()\n\ts.Save()\n}\n',
    },
    'calls',
  )
  expect(edges).toEqual(
    [
      'main.go#main calls store/store.go#New 1',
      'main.go#main calls store/store.go#Store.Save 0.85',
      'store/store.go#New calls store/store.go#Store 1',
      'store/store.go#Store.Save calls store/flush.go#flush 1',
    ].toSorted(),
  )
})

test('Java: packages, imports, inherited methods and fields (EXTRACTION-1)', async () => {
  const edges = await edgesOf(
    {
      'src/a/Base.java': 'package a;\npublic class Base { protected void log() {} }\n',
      'src/b/Repo.java': 'package b;\npublic class Repo { public void save() {} }\n',
      'src/a/App.java':
        'package a;\nimport b.Repo;\npublic class App extends Base {\n  private final Repo repo = new Repo();\n  void run() { log(); repo.save(); }\n}\n',
    },
    'calls',
    'imports',
    'extends',
  )
  expect(edges).toEqual(
    [
      'src/a/App.java imports src/b/Repo.java 1',
      'src/a/App.java#App calls src/b/Repo.java#Repo 1',
      'src/a/App.java#App extends src/a/Base.java#Base 1',
      'src/a/App.java#App.run calls src/a/Base.java#Base.log 0.95',
      'src/a/App.java#App.run calls src/b/Repo.java#Repo.save 0.95',
    ].toSorted(),
  )
})

test('Rust: modules, use trees, impl blocks and traits (EXTRACTION-1)', async () => {
  const edges = await edgesOf(
    {
      'Cargo.toml': '[package]\nname = "app"\n',
      'src/main.rs': 'mod store;\nuse crate::store::{Store, Save};\nfn main() { let s = Store::new(); s.save(); }\n',
      'src/store.rs':
        'pub trait Save { fn save(&self); }\npub struct Store;\nimpl Store { pub fn new() -> Self { Store {} } }\nimpl Save for Store { fn save(&self) {} }\n',
    },
    'calls',
    'imports',
    'implements',
  )
  expect(edges).toEqual(
    [
      'src/main.rs imports src/store.rs 1',
      'src/main.rs#main calls src/store.rs#Store.new 1',
      'src/main.rs#main calls src/store.rs#Store.save 0.85',
      'src/store.rs#Store implements src/store.rs#Save 1',
      'src/store.rs#Store.new calls src/store.rs#Store 1',
    ].toSorted(),
  )
})

test('C and C++: a call leads to the definition, not to the prototype; methods are found outside of their class (EXTRACTION-1)', async () => {
  const edges = await edgesOf(
    {
      'include/list.h': 'int list_len(int n);\n',
      'src/list.c': '#include "list.h"\nint list_len(int n) { return n; }\n',
      'src/main.c': '#include "list.h"\nint main(void) { return list_len(1); }\n',
      'gui/window.hpp': 'class Window { public: void open(); };\n',
      'gui/window.cpp': '#include "window.hpp"\nvoid Window::open() {}\nvoid show(Window* w) { w->open(); }\n',
    },
    'calls',
    'imports',
  )
  expect(edges).toEqual(
    [
      'src/list.c imports include/list.h 1',
      'src/main.c imports include/list.h 1',
      'src/main.c#main calls src/list.c#list_len 0.95',
      'gui/window.cpp imports gui/window.hpp 1',
      'gui/window.cpp#show calls gui/window.cpp#Window.open 0.95',
    ].toSorted(),
  )
})

test('Kubernetes: what selects, owns and refers to what; Markdown links lead to files that are there (EXTRACTION-1)', async () => {
  const edges = await edgesOf(
    {
      'k8s/app.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    metadata: {labels: {app: web}}
    spec:
      serviceAccountName: web
      containers: [{name: web, image: "registry.test/web:1.2", envFrom: [{configMapRef: {name: settings}}]}]
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}}
---
apiVersion: v1
kind: Pod
metadata: {name: web-1, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web}]}
spec: {containers: []}
`,
      'README.md': '# App\n\n[manifest](k8s/app.yaml) [gone](nowhere.md) [web](https://example.test)\n',
    },
    'selects',
    'owns',
    'references',
    'depends-on',
    'links',
  )
  expect(edges).toEqual(
    [
      'README.md links k8s/app.yaml 1',
      'k8s:shop/Deployment/web depends-on image:registry.test/web 1',
      'k8s:shop/Deployment/web owns k8s:shop/Pod/web-1 1',
      'k8s:shop/Deployment/web references k8s:shop/ConfigMap/settings 1',
      'k8s:shop/Deployment/web references k8s:shop/ServiceAccount/web 1',
      'k8s:shop/Service/web selects k8s:shop/Deployment/web 0.95',
    ].toSorted(),
  )
})

test('names that lead in circles end, and say nothing', async () => {
  const edges = await edgesOf(
    {
      'a.ts': `export * from './b.ts'\nexport { x as y } from './b.ts'\nimport { y } from './a.ts'\ny()`,
      'b.ts': `export * from './a.ts'\nexport { y as x } from './a.ts'\nclass A extends B {}\nclass B extends A { m() { this.n() } }`,
      'c.js': 'const a = b\nconst b = a\na.c()',
    },
    'calls',
  )
  expect(edges).toEqual([])
})

test('the same sources give the same graph, and every confidence fits its tier (EXTRACTION-4)', async () => {
  const dir = folderOf({
    'a.ts': 'class A { one() {} }\nfunction f(x) { x.oneOfAKind() }\nclass B { oneOfAKind() {} }',
    'b.py': 'def g(): g()',
  })
  const [first, second] = [await extractFrom(dir), await extractFrom(dir)]
  expect(second.pieces).toEqual(first.pieces)
  const edges = first.pieces.flatMap((piece) => piece.edges)
  expect(edges.map(({ confidence }) => confidence)).toContain(0.65)
  for (const { tier, confidence } of edges)
    if (tier === 'EXTRACTED') expect(confidence).toBe(1)
    else if (tier === 'INFERRED') expect([0.95, 0.85, 0.75, 0.65, 0.55]).toContain(confidence)
    else expect(confidence).toBeLessThanOrEqual(0.3)
})

test('links that lead out, ignored, vendored, generated, binary and big files and Git LFS pointers are left out, with the reason (REPO-INGEST-2)', async () => {
  const dir = folderOf({
    '.gitignore': 'ignored.ts\n',
    'good.ts': 'export const a = 1',
    'ignored.ts': 'export const b = 1',
    'node_modules/x/index.js': 'x()',
    'made.ts': '// @generated\nexport const c = 1',
    'big.ts': `//${'x'.repeat(2 * 1024 * 1024)}`,
    'pointer.ts': `version https://git-lfs.github.com/spec/v1\noid sha256:${'4d'.repeat(32)}\nsize 12345\n`,
  })
  writeFileSync(join(dir, 'nul.ts'), 'a\0b')
  symlinkSync('/etc/passwd', join(dir, 'link.ts'))
  const { pieces, skipped } = await extractFrom(dir)
  expect(pieces.map(({ file }) => file)).toEqual(['good.ts'])
  expect(skipped).toEqual([
    { file: 'big.ts', reason: 'too big' },
    { file: 'link.ts', reason: 'a link or no file' },
    { file: 'made.ts', reason: 'generated' },
    { file: 'node_modules/x/index.js', reason: 'vendored' },
    { file: 'nul.ts', reason: 'binary' },
    { file: 'pointer.ts', reason: 'a Git LFS pointer' },
  ])
})

test('a repository cannot have programs of its configuration run', async () => {
  const dir = folderOf({ 'a.ts': 'a()' })
  execFileSync('git', ['init', '-q', dir])
  const mark = join(dir, 'ran')
  execFileSync('git', ['-C', dir, 'config', 'core.fsmonitor', `touch ${mark}; false`])
  const { pieces, skipped } = await extractFrom(dir)
  expect(pieces.map(({ file }) => file)).toEqual(['a.ts'])
  expect(skipped).toEqual([])
})

test('TypeScript: a getter stands for what it returns, and a method gives what it declares (EXTRACTION-2)', async () => {
  const edges = await edgesOf(
    {
      'a.ts': `class Engine { start(): void {} }
class Car {
  get engine(): Engine { return this.find() }
  find(): Engine { return anything() as never }
}
function hand(given: unknown): void {}
export function run(car: Car): void { car.engine.start(); car.find().start() }
export function read(car: Car): void { const engine = car.engine; hand(engine) }
export function give(car: Car): void { hand(car); const find = car.find; hand(find) }
`,
    },
    'calls',
    'references',
  )
  expect(edges).toEqual([
    'a.ts#Car.engine calls a.ts#Car.find 1',
    'a.ts#give calls a.ts#hand 1',
    'a.ts#give references a.ts#Car.find 0.95',
    'a.ts#read calls a.ts#hand 1',
    'a.ts#run calls a.ts#Car.find 0.95',
    'a.ts#run calls a.ts#Engine.start 0.85',
  ])
})
