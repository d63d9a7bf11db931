import { readFileSync } from 'node:fs'
import { isTooDeep } from '../../../crd/plain-values.ts'
import { faultsOf } from '../../../http/problems/validation.ts'
import { visible } from '../../../http/operational/visible.ts'
import { machines } from '../../../machines/registry.ts'
import { foldBundle } from '../../../runtime/journal/bundle/fold.ts'
import { BundleFile, type ActorBundle } from '../../../runtime/journal/bundle/schema.ts'
import { machineHash } from '../../../runtime/step/machine-hash.ts'
import { flag, readArgs, UsageError } from '../../args.ts'
import { print } from '../../output/terminal.ts'

const usage = `usage: statewright import FILE... [--json]

Replays exported bundles with the machines of this version, as a regression test. The command writes nothing.
It skips a bundle whose masked journal did not replay at its export, and reports it.

Exit code 0: every step decides as it did. 1: a step differs; the command prints the first difference. 2: a file is no bundle.

  --json            print one line of JSON for each actor`

const mostFaults = 20
/** No event is that deep; what reads a value by itself has a stack for it. */
const mostLevels = 256

interface Verdict {
  readonly file: string
  readonly address: string
  readonly steps: number
  /** `skipped`: the bundle says that it cannot be replayed. */
  readonly result: 'equal' | 'different' | 'skipped'
  readonly sameCode: boolean
  readonly why?: string
}

export async function importBundles(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { json: { type: 'boolean' } }, usage)
  if (parsed === undefined) return 0
  if (parsed.positionals.length === 0) throw new UsageError(`import takes files\n\n${usage}`)
  const verdicts = parsed.positionals.flatMap((file) => readBundle(file).actors.map((actor) => judge(file, actor)))
  for (const verdict of verdicts) print(flag(parsed, 'json') ? JSON.stringify(verdict) : verdictLine(verdict))
  const different = verdicts.filter(({ result }) => result === 'different').length
  const skipped = verdicts.filter(({ result }) => result === 'skipped').length
  if (!flag(parsed, 'json')) print(`${verdicts.length} actors, ${different} different, ${skipped} skipped`)
  return different === 0 ? 0 : 1
}

export function readBundle(file: string): BundleFile {
  const value = parse(file, contentOf(file))
  if (isTooDeep(value, mostLevels))
    refuseBundle(file, [{ path: '/', message: `nests deeper than ${mostLevels} levels` }])
  refuseBundle(file, faultsOf(BundleFile, value))
  return value as BundleFile
}

export function refuseBundle(
  file: string,
  faults: readonly { readonly path: string; readonly message: string }[],
): void {
  if (faults.length === 0) return
  const lines = faults.slice(0, mostFaults).map(({ path, message }) => `  ${visible(`${path} ${message}`)}`)
  const more = faults.length > mostFaults ? [`  and ${faults.length - mostFaults} more`] : []
  throw new UsageError([`${visible(file)} is not a bundle of statewright export:`, ...lines, ...more].join('\n'))
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${visible(file)} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function parse(file: string, content: string): unknown {
  try {
    return JSON.parse(content)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new UsageError(`${visible(file)} is not valid JSON: it is cut off, or another file`)
  }
}

function judge(file: string, bundle: ActorBundle): Verdict {
  const definition = machines.find(({ kind }) => kind === bundle.kind)
  const { address, replay } = bundle
  if (!replay.ok)
    return {
      file,
      address,
      steps: 0,
      result: 'skipped',
      sameCode: false,
      ...(replay.why === undefined ? {} : { why: replay.why }),
    }
  if (definition === undefined)
    return {
      file,
      address,
      steps: 0,
      result: 'different',
      sameCode: false,
      why: `this program has no machine for ${bundle.kind}`,
    }
  const hash = machineHash(definition)
  const { steps, difference } = foldBundle({ definition, hash }, bundle)
  const sameCode = bundle.machineHash === hash
  return difference === undefined
    ? { file, address, steps, result: 'equal', sameCode }
    : { file, address, steps, result: 'different', sameCode, why: difference }
}

function verdictLine({ address, steps, result, sameCode, why }: Verdict): string {
  const code = sameCode ? 'the same code' : 'other code than at its export'
  if (result === 'skipped') return `${address}: skipped, its export reports: ${why ?? 'it does not replay'}`
  return result === 'equal'
    ? `${address}: ${steps} steps, equal (${code})`
    : `${address}: ${why ?? 'differs'} (${code})`
}
