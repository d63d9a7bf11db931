import { expect, test } from 'vitest'
import { edgesOf, extractFrom, folderOf } from './testing/folder.ts'

test.each([
  [
    'typescript',
    {
      'types.ts': `export interface Options { readonly queue: Queue }
export class Queue {
  options!: Options
  clone(): Queue { return this }
}
export type Both = readonly Options[] | Map<string, Queue>
`,
      'use.ts': `import type { Options, Both } from './types.ts'
import * as all from './types.ts'
function start(options: Options, rest?: all.Both): Promise<Both> { return later<Options>(options as all.Queue) }
class Own extends all.Queue implements Options { queue = new all.Queue() }
`,
    },
    [
      'types.ts#Both uses types.ts#Options 1',
      'types.ts#Both uses types.ts#Queue 1',
      'types.ts#Options uses types.ts#Queue 1',
      'types.ts#Queue uses types.ts#Options 1',
      'use.ts#start uses types.ts#Both 1',
      'use.ts#start uses types.ts#Options 1',
      'use.ts#start uses types.ts#Queue 1',
    ],
  ],
  [
    'python',
    {
      'signer.py':
        'class Signer:\n    key: "Key"\n    def copy(self) -> "Signer": pass\n\nclass Key: pass\n\nclass BadData(Exception): pass\n',
      'use.py': `import typing as t
import signer
from signer import Key, BadData
def first(keys: t.Optional[list[Key]]) -> t.Iterator["signer.Signer"]:
    try: pass
    except (BadData, ValueError) as error: pass
`,
    },
    [
      'signer.py#Signer uses signer.py#Key 1',
      'use.py#first uses signer.py#Key 1',
      'use.py#first uses signer.py#Signer 1',
    ],
  ],
  [
    'go',
    {
      'go.mod': 'module example.org/a\n',
      'flag/flag.go':
        'package flag\n\ntype Value interface { Set(string) error }\n\ntype Flag struct { value Value }\n\nfunc (f *Flag) Copy() *Flag { return f }\n',
      'use.go':
        'package a\n\nimport "example.org/a/flag"\n\nfunc first(all map[string]*flag.Flag) []flag.Value { return nil }\n',
    },
    [
      'flag/flag.go#Flag uses flag/flag.go#Value 1',
      'use.go#first uses flag/flag.go#Flag 1',
      'use.go#first uses flag/flag.go#Value 1',
    ],
  ],
  [
    'java',
    {
      'a/Key.java': 'package a;\npublic class Key {}\n',
      'a/Box.java':
        'package a;\nimport java.util.List;\npublic class Box {\n  private Key key;\n  List<Key> all(Box other) { return null; }\n}\n',
    },
    ['a/Box.java#Box uses a/Key.java#Key 1', 'a/Box.java#Box.all uses a/Key.java#Key 1'],
  ],
  [
    'rust',
    {
      'src/lib.rs':
        'mod key;\nuse key::Key;\npub struct Holder { key: Option<Key> }\npub fn open(holder: &Holder) -> Vec<key::Key> { vec![] }\n',
      'src/key.rs': 'pub struct Key;\n',
      'Cargo.toml': '[package]\nname = "a"\n',
    },
    [
      'src/lib.rs#Holder uses src/key.rs#Key 1',
      'src/lib.rs#open uses src/key.rs#Key 1',
      'src/lib.rs#open uses src/lib.rs#Holder 1',
    ],
  ],
  [
    'c',
    {
      'key.h': 'struct key { int a; };\ntypedef struct { int b; } box_t;\n',
      'use.c': '#include "key.h"\nint first(struct key *k, box_t all[]) { return 0; }\n',
    },
    ['use.c#first uses key.h#box_t 0.95', 'use.c#first uses key.h#key 0.95'],
  ],
] as const)(
  '%s: a type that is written anywhere is used, unless a call, a base or its own members say so (EXTRACTION-3)',
  async (_name, files, edges) => {
    expect(await edgesOf(files, 'uses')).toEqual(edges)
  },
)

test('an import leads to the file and to each symbol that it names (EXTRACTION-3)', async () => {
  const files = {
    'a.ts': 'export const one = 1\nexport interface Two {}\nexport default class Three {}\n',
    'b.ts': "import Three, { one as first, type Two } from './a.ts'\n",
    'c.py': 'def one(): pass\n',
    'd.py': 'from c import one\n',
  }
  const { pieces } = await extractFrom(folderOf(files))
  const imports = pieces.flatMap(({ edges }) => edges).filter(({ relation }) => relation === 'imports')
  expect(imports.map(({ from, to, confidence }) => `${from} imports ${to} ${confidence}`).toSorted()).toEqual([
    'b.ts imports a.ts 1',
    'b.ts imports a.ts#Three 1',
    'b.ts imports a.ts#Two 1',
    'b.ts imports a.ts#one 1',
    'd.py imports c.py 1',
    'd.py imports c.py#one 1',
  ])
})

test('TypeScript: `typeof`, `instanceof` and a member of an enumeration name their type (EXTRACTION-3)', async () => {
  const edges = await edgesOf(
    {
      'a.ts': `export class Key {}
export enum Color { Red }
export const limits = { most: 1 }
function made(make: typeof Key, most: typeof limits): void {}
function is(given: unknown): boolean { return given instanceof Key }
function paint(color: Color.Red): void {}
`,
      'b.ts': "import * as all from './a.ts'\nfunction made(make: typeof all.Key, color: all.Color.Red): void {}\n",
    },
    'uses',
    'references',
  )
  expect(edges).toEqual([
    'a.ts#is references a.ts#Key 1',
    'a.ts#made uses a.ts#Key 1',
    'a.ts#paint uses a.ts#Color 1',
    'b.ts#made uses a.ts#Color 1',
    'b.ts#made uses a.ts#Key 1',
  ])
})

test('Go: a conversion uses the type that it converts to (EXTRACTION-3)', async () => {
  const edges = await edgesOf(
    {
      'a.go': `package a

type count int

func plain(given int) { _ = count(given) }
func pointer(given *int) { _ = (*count)(given) }
`,
    },
    'uses',
    'calls',
  )
  expect(edges).toEqual(['a.go#plain uses a.go#count 1', 'a.go#pointer uses a.go#count 1'])
})
