/**
 * What TypeScript's own checker says of a folder: which function calls which, which file imports which. The truth that
 * extraction is measured by. Run as a program: `language-service.ts DIR [CONDITION...]` writes one JSON
 * object; conditions are those of `exports` under which a package keeps its sources.
 */
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import type { Links } from '../links.ts'

const [dir = '.', ...customConditions] = process.argv.slice(2)

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(?:[cm]?[jt]s|[jt]sx)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('/node_modules/'))
}

const options: ts.CompilerOptions = {
  allowJs: true,
  checkJs: true,
  noEmit: true,
  strict: true,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
  skipLibCheck: true,
  experimentalDecorators: true,
}

const files = sources(dir)
/** As bundlers resolve, where a package is written for them: Node's own rules ask for endings in ESM. */
const bundled = {
  ...options,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  customConditions,
}
const program = ts.createProgram(files, { ...bundled, allowImportingTsExtensions: true })
const checker = program.getTypeChecker()
const host = ts.createCompilerHost(bundled)
const own = new Set(files)

function pathOf(file: ts.SourceFile): string {
  return relative(dir, file.fileName).replaceAll('\\', '/')
}

function keyOf(name: ts.Node, text: string): string {
  const file = name.getSourceFile()
  return `${pathOf(file)}:${file.getLineAndCharacterOfPosition(name.getStart(file)).line + 1}:${text}`
}

function nameText(name: ts.Node): string {
  return ts.isStringLiteralLike(name) ||
    ts.isIdentifier(name) ||
    ts.isPrivateIdentifier(name) ||
    ts.isNumericLiteral(name)
    ? name.text
    : name.getText()
}

function isFunctionValue(node: ts.Node | undefined): boolean {
  return node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node))
}

/** The name of what a declaration declares, when that can be called. */
function callableName(node: ts.Node): string | undefined {
  if (ts.isConstructorDeclaration(node)) {
    const word = node.getFirstToken()
    return word === undefined ? undefined : keyOf(node, 'constructor')
  }
  if (
    (ts.isFunctionDeclaration(node) ||
      ts.isMethodDeclaration(node) ||
      ts.isMethodSignature(node) ||
      ts.isAccessor(node) ||
      ts.isClassLike(node)) &&
    node.name !== undefined
  )
    return keyOf(node.name, nameText(node.name))
  if (ts.isPropertySignature(node) && node.type !== undefined && ts.isFunctionTypeNode(node.type))
    return keyOf(node.name, nameText(node.name))
  if (
    (ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node)) &&
    node.initializer !== undefined
  ) {
    const value = node.initializer
    if (isFunctionValue(value) || ts.isClassExpression(value)) return keyOf(node.name, nameText(node.name))
  }
  if (ts.isBinaryExpression(node) && isFunctionValue(node.right)) return assignedName(node.left)
  if (ts.isPropertyAccessExpression(node) && ts.isBinaryExpression(node.parent) && isFunctionValue(node.parent.right))
    return assignedName(node)
  return undefined
}

function assignedName(left: ts.Expression): string | undefined {
  if (ts.isIdentifier(left)) return keyOf(left, left.text)
  return ts.isPropertyAccessExpression(left) ? keyOf(left.name, left.name.text) : undefined
}

/** The function, or class, that a node stands in; else the file. */
function callerOf(node: ts.Node): string {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (isFunctionValue(at)) {
      const holder = at.parent
      const named = callableName(holder)
      if (named !== undefined) return named
      continue
    }
    if (
      ts.isFunctionDeclaration(at) ||
      ts.isMethodDeclaration(at) ||
      ts.isConstructorDeclaration(at) ||
      ts.isAccessor(at) ||
      ts.isClassLike(at)
    ) {
      const named = callableName(at)
      if (named !== undefined) return named
      if (ts.isClassExpression(at) && ts.isVariableDeclaration(at.parent))
        return keyOf(at.parent.name, nameText(at.parent.name))
    }
  }
  return pathOf(node.getSourceFile())
}

function calleeOf(node: ts.CallExpression | ts.NewExpression): string | undefined {
  const { expression } = node
  const place = ts.isPropertyAccessExpression(expression) ? expression.name : expression
  let symbol = checker.getSymbolAtLocation(place)
  if (symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0) symbol = checker.getAliasedSymbol(symbol)
  const declarations = symbol?.declarations ?? []
  const withBody = declarations.find((each) => 'body' in each && each.body !== undefined)
  for (const declaration of withBody === undefined ? declarations : [withBody, ...declarations]) {
    if (!own.has(declaration.getSourceFile().fileName)) continue
    const found = callableName(declaration)
    if (found !== undefined) return found
  }
  return undefined
}

function importedFile(specifier: ts.StringLiteralLike): string | undefined {
  const file = specifier.getSourceFile()
  const mode = ts.getModeForUsageLocation(file, specifier, bundled)
  const found = ts.resolveModuleName(
    specifier.text,
    file.fileName,
    bundled,
    host,
    undefined,
    undefined,
    mode,
  ).resolvedModule
  return found === undefined || !own.has(found.resolvedFileName) ? undefined : relative(dir, found.resolvedFileName)
}

function specifierOf(node: ts.Node): ts.StringLiteralLike | undefined {
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined)
    return ts.isStringLiteralLike(node.moduleSpecifier) ? node.moduleSpecifier : undefined
  if (ts.isExternalModuleReference(node)) return ts.isStringLiteralLike(node.expression) ? node.expression : undefined
  if (!ts.isCallExpression(node)) return undefined
  const [first] = node.arguments
  const loads =
    node.expression.kind === ts.SyntaxKind.ImportKeyword ||
    (ts.isIdentifier(node.expression) && node.expression.text === 'require')
  return loads && first !== undefined && ts.isStringLiteralLike(first) ? first : undefined
}

const calls = new Set<string>()
const imports = new Set<string>()

function visit(node: ts.Node): void {
  const specifier = specifierOf(node)
  const imported = specifier === undefined ? undefined : importedFile(specifier)
  if (imported !== undefined) imports.add(`${pathOf(node.getSourceFile())} > ${imported}`)
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
    const callee = calleeOf(node)
    if (callee !== undefined) calls.add(`${callerOf(node)} > ${callee}`)
  }
  ts.forEachChild(node, visit)
}

for (const file of program.getSourceFiles()) if (own.has(file.fileName)) visit(file)
const links: Links = { calls: [...calls].toSorted(), imports: [...imports].toSorted() }
process.stdout.write(JSON.stringify(links))
