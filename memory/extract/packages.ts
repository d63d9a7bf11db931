/** What manifests of packages say: the package's own name, and what it depends on. Names are the same in every repository. */
import { tierOf, type CodeEdge, type CodeEntity, type FilePiece } from './graph.ts'

export const manifestName = /(?:^|\/)(?:package\.json|[jt]sconfig[\w.-]*\.json|go\.mod|Cargo\.toml|pyproject\.toml)$/

interface Declared {
  readonly id: string
  readonly name: string
  readonly depends: readonly string[]
}

export function packagePieces(
  manifests: ReadonlyMap<string, { readonly text: string; readonly sha: string }>,
): FilePiece[] {
  return [...manifests].flatMap(([file, { text, sha }]) => {
    const declared = readManifest(file, text)
    if (declared === undefined) return []
    const { id, name } = declared
    const own: CodeEntity[] = [
      { id: file, type: 'file', name: file.slice(file.lastIndexOf('/') + 1), file, line: 1 },
      { id, type: 'package', name, file, line: 1 },
    ]
    const edges = [edge(file, id, 'contains'), ...declared.depends.map((to) => edge(id, to, 'depends-on'))]
    return [{ file, sha, entities: own, edges }]
  })
}

function edge(from: string, to: string, relation: string): CodeEdge {
  return { from, to, relation, confidence: 1, tier: tierOf(1) }
}

function readManifest(file: string, text: string): Declared | undefined {
  if (file.endsWith('package.json')) return readNpm(text)
  if (file.endsWith('go.mod')) return readGo(text)
  if (file.endsWith('Cargo.toml')) return readCargo(text)
  return file.endsWith('pyproject.toml') ? readPython(text) : undefined
}

function readNpm(text: string): Declared | undefined {
  let manifest: Record<string, unknown>
  try {
    manifest = JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined
  }
  const name = manifest?.['name']
  if (typeof name !== 'string' || name === '') return undefined
  return declare('npm', name, npmDependencies(manifest))
}

export function npmDependencies(manifest: Readonly<Record<string, unknown>>): readonly string[] {
  const fields = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']
  return fields.flatMap((field) => Object.keys((manifest[field] as object | undefined) ?? {}))
}

function readGo(text: string): Declared | undefined {
  const name = /^module\s+"?([^\s"]+)/m.exec(text)?.[1]
  const depends = [...text.matchAll(/^[^\S\n]*(?:require\s+)?([\w.-][\w-]*\.[\w./-]+)\s+v\d/gm)].map(
    ([, path = '']) => path,
  )
  return name === undefined ? undefined : declare('gomod', name, depends)
}

function readCargo(text: string): Declared | undefined {
  const name = /^name\s*=\s*"([^"]+)"/m.exec(section(text, 'package'))?.[1]
  if (name === undefined) return undefined
  const depends = ['dependencies', 'dev-dependencies', 'build-dependencies'].flatMap((each) =>
    [...section(text, each).matchAll(/^([\w-]+)\s*(?:=|\.)/gm)].map(([, dependency = '']) =>
      dependency.replaceAll('-', '_'),
    ),
  )
  return declare('crate', name.replaceAll('-', '_'), depends)
}

function readPython(text: string): Declared | undefined {
  const project = section(text, 'project')
  const name = /^name\s*=\s*"([^"]+)"/m.exec(project)?.[1]
  if (name === undefined) return undefined
  const listed = /^dependencies\s*=\s*\[([^]*?)\]/m.exec(project)?.[1] ?? ''
  const depends = [...listed.matchAll(/["']([A-Za-z0-9][\w.-]*)/g)].map(([, each = '']) =>
    each.toLowerCase().replaceAll('-', '_'),
  )
  return declare('pypi', name.toLowerCase().replaceAll('-', '_'), depends)
}

/** A table of TOML as text, up to the next one. */
function section(text: string, name: string): string {
  const start = new RegExp(`^\\[${name}\\]\\s*$`, 'm').exec(text)
  if (start === null) return ''
  const rest = text.slice(start.index + start[0].length)
  const end = /^\[/m.exec(rest)
  return end === null ? rest : rest.slice(0, end.index)
}

/** The ids that imports lead to, too. */
function declare(ecosystem: string, name: string, depends: readonly string[]): Declared {
  return { id: `${ecosystem}:${name}`, name, depends: [...new Set(depends)].map((each) => `${ecosystem}:${each}`) }
}
