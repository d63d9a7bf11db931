import { dirOf, join, type Module, type ModuleFinder, type Repository } from './modules.ts'

/** Crates that come with the compiler. */
const standard = ['std', 'core', 'alloc', 'proc_macro', 'test']

interface Crate {
  readonly name: string
  readonly root: string
}

export function rustModules({ files, manifests }: Repository): ModuleFinder {
  const crates = readCrates(files, manifests)

  function at(path: string): Module | undefined {
    for (const file of [`${path}.rs`, join(path, 'mod.rs')]) if (files.has(file)) return { files: [file], path }
    return undefined
  }

  /** The folder below which a file's own modules lie. */
  function pathOf(file: string): string {
    return /(?:^|\/)(?:mod|lib|main)\.rs$/.test(file) ? dirOf(file) : file.replace(/\.rs$/, '')
  }

  function rootOf(file: string): Module | undefined {
    const dirs = dirOf(file).split('/')
    for (let length = dirs.length; length >= 0; length -= 1) {
      const dir = dirs.slice(0, length).join('/')
      for (const name of ['lib.rs', 'main.rs']) {
        const root = join(dir, name)
        if (files.has(root)) return { files: [root], path: dir }
      }
    }
    return undefined
  }

  function walk(start: Module | undefined, steps: readonly string[]): Module | undefined {
    let module = start
    for (const step of steps) module = module?.path === undefined ? undefined : at(join(module.path, step))
    return module
  }

  return {
    find: (file, { source }) => {
      const [first = '', ...rest] = source.split('::')
      const own: Module = { files: [file], path: pathOf(file) }
      let found: Module | undefined
      if (first === 'crate') found = walk(rootOf(file), rest)
      else if (first === 'self') found = walk(own, rest)
      else if (first === 'super') {
        const up = dirOf(pathOf(file))
        const parent =
          at(up) ??
          [join(up, 'lib.rs'), join(up, 'main.rs')]
            .filter((each) => files.has(each))
            .map((each) => ({ files: [each], path: up }))[0]
        found = rest[0] === 'super' ? undefined : walk(parent, rest)
      } else {
        const crate = crates.find(({ name }) => name === first)
        found =
          crate === undefined
            ? (walk(own, [first, ...rest]) ?? walk(rootOf(file), [first, ...rest]))
            : walk({ files: [crate.root], path: dirOf(crate.root) }, rest)
      }
      if (found !== undefined) return { module: found }
      const local = ['crate', 'self', 'super', ''].includes(first) || crates.some(({ name }) => name === first)
      return local ? undefined : { external: `${standard.includes(first) ? 'rust' : 'crate'}:${first}` }
    },
    below: (module, name) => (module.path === undefined ? undefined : at(join(module.path, name))),
    of: (file) => ({ files: [file], path: pathOf(file) }),
  }
}

function readCrates(files: ReadonlyMap<string, unknown>, manifests: ReadonlyMap<string, string>): readonly Crate[] {
  return [...manifests].flatMap(([path, text]) => {
    if (!/(?:^|\/)Cargo\.toml$/.test(path)) return []
    const name = /^\[package\][^[]*?^name\s*=\s*"([^"]+)"/ms.exec(text)?.[1]
    const library = /^\[lib\][^[]*?^path\s*=\s*"([^"]+)"/ms.exec(text)?.[1]
    const root = [library ?? 'src/lib.rs', 'src/main.rs', 'lib.rs']
      .map((each) => join(dirOf(path), each))
      .find((each) => files.has(each))
    return name === undefined || root === undefined ? [] : [{ name: name.replaceAll('-', '_'), root }]
  })
}
