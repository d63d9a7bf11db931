/**
 * Doubt by shape (GIT-8, decisions/0032): tools that obey a file of the tree come faster than a list of their names. They look
 * for it in two places, as a dot file or dot folder, and at the root. What is new there and nobody can tell is asked about.
 */
import { foldedNames } from './path-pattern.ts'

/** What of a tree has a shape that is asked about: folders end with `/`. */
export type KnownShapes = ReadonlySet<string>

const reasons = {
  dot: 'it is a new dot file or dot folder, and who obeys it is not known',
  root: 'it is a new file at the root that is neither source, prose, data nor a lock file, and who obeys it is not known',
} as const

/** They change nothing that runs: git, editors and packers take what to leave out or how to indent from them, or choose a version. */
const harmlessDots =
  /^\.([a-z]*ignore|gitattributes|gitkeep|keep|editorconfig|nvmrc|node-version|python-version|ruby-version|mailmap|git-blame-ignore-revs)$/

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''))

const extensions = words(`
  js mjs cjs jsx ts mts cts tsx vue svelte astro py pyi rb php go rs java kt kts scala sbt clj cljs groovy gradle
  c h cc cpp cxx hpp hh cs fs vb swift m mm dart lua pl pm r jl ex exs erl hrl hs ml mli elm nim zig sol s asm
  sh bash bat cmd ps1 sql graphql gql proto css scss sass less html htm ipynb cmake mk
  md mdx markdown rst txt adoc asciidoc org tex
  csv tsv png jpg jpeg gif svg ico webp pdf woff woff2 ttf
  lock lockb sum resolved
  gemspec csproj fsproj vbproj sln slnx cabal podspec bazel`)

const names = words(`
  readme license licence copying notice authors contributors maintainers changelog changes history news install todo version
  makefile gnumakefile dockerfile containerfile gemfile rakefile pipfile build workspace
  package.json package-lock.json npm-shrinkwrap.json pnpm-lock.yaml tsconfig.json jsconfig.json deno.json deno.jsonc jsr.json
  pyproject.toml setup.cfg tox.ini pytest.ini mypy.ini ruff.toml cargo.toml go.mod go.work composer.json pom.xml meson.build
  compose.yml compose.yaml docker-compose.yml docker-compose.yaml`)

/** Variants of one name: `LICENSE-MIT`, `Dockerfile.dev`, `tsconfig.build.json`. */
const variants = /^(readme|license|licence|copying|notice|changelog)[-._]|^dockerfile\.|^tsconfig[-.].*\.json$/

/** `isThere`: whether the base has it. */
export function unknownShape(known: KnownShapes, path: string): string | undefined {
  const folded = foldedNames(path)
  for (const shape of shapesOf(folded)) if (!known.has(shape) && !isHarmless(shape)) return reasons.dot
  const [name = '', ...below] = folded
  return below.length > 0 || known.has(name) || isDot(name) || isPlain(name) ? undefined : reasons.root
}

export function knownShapes(paths: Iterable<string>): KnownShapes {
  const known = new Set<string>()
  for (const path of paths) {
    const isAtRoot = !path.includes('/')
    // Most of a tree is neither: it is not looked at name by name.
    if (!isAtRoot && !path.startsWith('.') && !path.includes('/.')) continue
    const folded = foldedNames(path)
    for (const shape of shapesOf(folded)) known.add(shape)
    if (isAtRoot) known.add(folded.join('/'))
  }
  return known
}

/** Each dot name on the way, and each name right below `.config`, where tools put what would be a dot file elsewhere. */
function* shapesOf(folded: readonly string[]): Iterable<string> {
  for (const [at, name] of folded.entries()) {
    if (isDot(name) || folded[at - 1] === '.config')
      yield `${folded.slice(0, at + 1).join('/')}${at + 1 < folded.length ? '/' : ''}`
  }
}

function isDot(name: string): boolean {
  return name.startsWith('.')
}

function isHarmless(shape: string): boolean {
  return harmlessDots.test(shape.slice(shape.lastIndexOf('/') + 1))
}

function isPlain(name: string): boolean {
  const extension = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : ''
  return names.has(name) || variants.test(name) || (extension !== '' && extensions.has(extension))
}
