// A bundle lies in one flat folder, while sources name their files (migrations, hook programs, worker threads) by
// `new URL('./x', import.meta.url)`. This plugin carries each such file over and points the name at the copy.
import { cp, stat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'

/** The only form that is understood, so that no file is forgotten: anything else of `import.meta` fails the build. */
const named = /new URL\(\s*(['"])([^'"]+)\1\s*,\s*import\.meta\.url\s*\)/g
/** Programs one folder below the root find the root by this, and so does what is bundled into `dist/`. */
const parentFolder = "join(dirname(fileURLToPath(import.meta.url)), '..')"
/** Finds installed packages, which a bundle finds from its own folder too. */
const installedPackages = 'createRequire(import.meta.url)'

/** @param {{root: string, outDir: string}} places */
export function ownFiles({ root, outDir }) {
  return {
    name: 'own-files',
    async transform(code, id) {
      if (!id.startsWith(root) || id.includes('/node_modules/') || !code.includes('import.meta')) return null
      const from = dirname(id)
      const replaced = []
      for (const [text, , path] of code.matchAll(named))
        replaced.push([text, await carry(this, join(from, path), path)])
      let result = code
      for (const [text, target] of replaced) result = result.replace(text, `new URL('./${target}', import.meta.url)`)
      const left = (dirname(from) === root ? code.replaceAll(parentFolder, '') : code).replaceAll(installedPackages, '')
      if (left.replaceAll(named, '').includes('import.meta'))
        throw new Error(
          `${relative(root, id)} uses import.meta in a way that a bundle breaks; name files by new URL('./x', import.meta.url)`,
        )
      return { code: result, map: null }
    },
  }

  async function carry(build, source, written) {
    if (source.endsWith('.ts')) {
      const fileName = basename(source).replace(/\.ts$/, '.mjs')
      build.emitFile({ type: 'chunk', id: source, fileName })
      return fileName
    }
    const path = relative(root, source)
    if (path.startsWith('..')) throw new Error(`${written} lies outside the tree`)
    await stat(source)
    await cp(source, join(outDir, path), { recursive: true, filter: (each) => !each.includes('node_modules') })
    return written.endsWith('/') ? `${path.replace(/\/$/, '')}/` : path
  }
}
