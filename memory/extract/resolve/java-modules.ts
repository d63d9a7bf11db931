import { grouped, type Module, type ModuleFinder, type Repository } from './modules.ts'

export function javaModules({ files }: Repository): ModuleFinder {
  const packages = grouped(files.keys(), (path) => files.get(path)?.package ?? '')
  const byClass = new Map<string, string>()
  for (const [path, facts] of files)
    for (const { container, name } of facts.definitions)
      if (container === -1) byClass.set(`${facts.package ?? ''}.${name}`, path)

  return {
    find: (_file, { source }) => {
      const found = packages.get(source)
      if (found !== undefined) return { module: { files: found, path: source } }
      // `import static a.B.c`: the "package" is a class.
      const file = byClass.get(source)
      if (file !== undefined) return { module: { files: [file], path: source } }
      return { external: `java:${source.split('.').slice(0, 3).join('.')}` }
    },
    below: (module, name): Module | undefined => {
      const file = module.path === undefined ? undefined : byClass.get(`${module.path}.${name}`)
      return file === undefined ? undefined : { files: [file] }
    },
  }
}
