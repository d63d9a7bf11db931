import { readFileSync } from 'node:fs'
import { Type } from 'typebox'
import { readDocuments } from '../../../crd/documents.ts'
import { beyondOneMachine, inertOnOneMachine } from '../../../crd/one-machine.ts'
import { checkManifest, type Checked, type ManifestFault } from '../../../crd/validate.ts'
import { ApiError } from '../../../http/problems/api-error.ts'
import { readArgs, text, UsageError } from '../../args.ts'
import { connectOrchestrator, serverOptions, serverUsage } from '../../server/connect.ts'
import { print, printError } from '../../output/terminal.ts'
import { messageOf } from '../../../runtime/errors.ts'

const usage = `usage: statewright apply -f FILE [options]

Applies every document of FILE: Project, Repository, Task, or v1 Secret with stringData.
The command checks all documents before it sends the first one. It refuses an unknown field and names the nearest known one.
It also refuses a field that nothing obeys on one machine, such as a container image.

  -f, --file FILE   YAML or JSON, one or more documents; - reads standard input
${serverUsage}

Example: statewright apply -f project.yaml`

const Applied = Type.Object({
  kind: Type.String(),
  name: Type.String(),
  change: Type.String(),
  warnings: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
})

/** `statewright apply`: strict on this side, so that a typo is told before anything changes. */
export async function apply(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { file: { type: 'string', short: 'f' }, ...serverOptions }, usage)
  if (parsed === undefined) return 0
  const file = text(parsed, 'file')
  if (file === undefined) throw new UsageError(`-f is required\n\n${usage}`)
  const documents = documentsOf(file)
  if (documents.length === 0) throw new Error(`${file} contains no document: nothing was applied`)
  const checked = documents.map(judge)
  const warned = new Set(checked.flatMap(warningLines))
  for (const line of warned) printError(line)
  const faults = checked.flatMap(faultLines)
  if (faults.length > 0) throw new Error(`nothing was applied:\n${faults.join('\n')}`)
  const client = await connectOrchestrator(parsed)
  for (const document of documents) {
    const {
      kind,
      name,
      change,
      warnings = [],
    } = await client.ask(Applied, 'PUT', '/resources', document).catch((error: unknown) => {
      // It knows no document that it did not read.
      if (error instanceof ApiError && error.code === 'body-too-large')
        throw new Error(`${nameOf(judge(document))}: ${error.message}`, { cause: error })
      throw error
    })
    // Only the orchestrator knows its settings; what this side has said already is not repeated.
    const more = warnings.map((warning) => warningLine(`${kind} ${name}`, warning)).filter((line) => !warned.has(line))
    for (const line of more) printError(line)
    print(`${kind.toLowerCase()}/${name} ${change}`)
    if (kind === 'Task') print(`  applied by hand: this counts as its approval`)
  }
  return 0
}

function judge(document: unknown): Checked {
  const checked = checkManifest(document)
  return {
    ...checked,
    faults: [...checked.faults, ...beyondOneMachine(document)],
    warnings: [...checked.warnings, ...inertOnOneMachine(document)],
  }
}

function documentsOf(file: string): readonly unknown[] {
  const source = readFileSync(file === '-' ? 0 : file, 'utf8')
  try {
    return readDocuments(source)
  } catch (error) {
    throw new Error(`${file} is not valid YAML: ${messageOf(error)}`, { cause: error })
  }
}

function nameOf(checked: Checked): string {
  return checked.sort === 'secret'
    ? `Secret ${checked.secret.name}`
    : `${checked.manifest.kind || 'document'} ${checked.manifest.name}`
}

function faultLines(checked: Checked): readonly string[] {
  return checked.faults.map(({ path, message }) => `  ${nameOf(checked)}: ${path} ${message}`)
}

function warningLines(checked: Checked): readonly string[] {
  return checked.warnings.map((warning) => warningLine(nameOf(checked), warning))
}

function warningLine(name: string, { path, message }: ManifestFault): string {
  return `warning: ${name}: ${path} ${message}`
}
