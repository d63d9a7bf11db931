/** A push of a pod: read, judged, sent on to the forge by git itself, written down. */
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Clock } from '../../../http/ports.ts'
import type { GitCache, Quarantine, Remote } from '../store/cache.ts'
import { flushPkt, pktLine, ProtocolError, readPkts, type PktReader } from './pkt-line.ts'
import { NO_OBJECT, readPushRequest, type PushCommand, type PushRequest } from './push-commands.ts'
import { pushReport, type RefResult } from './push-report.ts'
import type { PathGuard } from '../rules/path-guard.ts'
import { commandFault, contentFault, type PushRight } from './push-rules.ts'

export interface PodIdentity {
  /** Actor ids, `<namespace>/<name>`. */
  readonly project: string
  readonly task: string
  readonly pod: number
}

export interface PushRecord {
  /** `<namespace>/<name>`. */
  readonly project: string
  readonly repository: string
  readonly task: string
  readonly pod: string
  readonly ref: string
  readonly before: string
  readonly after: string
  readonly outcome: 'accepted' | 'refused' | 'failed'
  readonly reason?: string
  readonly at: number
}

interface ReceiveDeps {
  readonly cache: GitCache
  readonly clock: Clock
  readonly audit: (push: PushRecord) => Promise<void>
  /** Of one push. */
  readonly mostPackBytes: number
}

export interface PushTarget {
  readonly remote: Remote
  readonly identity: PodIdentity
  /** The only branch that this pod may push. */
  readonly branch: string
  readonly base: string
  /** What this pod may not change unless its right says so. */
  readonly guard: PathGuard
  readonly right: () => Promise<PushRight>
}

/** Unless the operator says otherwise: large enough for a repository's first push, and small enough for a disk. */
export const mostPackBytes = 512 * 1024 * 1024
const CAPABILITIES = 'report-status side-band-64k ofs-delta quiet object-format=sha1 agent=statewright'

/** The refs as the forge has them, with the abilities that we have. */
export async function advertise(deps: ReceiveDeps, remote: Remote): Promise<Buffer> {
  const heads = [...(await (await deps.cache.update(remote)).heads())]
  const lines = heads.length === 0 ? [`${NO_OBJECT} capabilities^{}`] : heads.map(([ref, sha]) => `${sha} ${ref}`)
  const [first = '', ...others] = lines
  return Buffer.concat([
    pktLine('# service=git-receive-pack\n'),
    flushPkt,
    pktLine(`${first}\0${CAPABILITIES}\n`),
    ...others.map((line) => pktLine(`${line}\n`)),
    flushPkt,
  ])
}

export async function receive(deps: ReceiveDeps, target: PushTarget, body: Readable, gzip: boolean): Promise<Buffer> {
  const source = gzip ? body.pipe(createGunzip()) : body
  body.on('error', (error) => source.destroy(error))
  const reader = readPkts(source as AsyncIterable<Buffer>)
  const request = await readPushRequest(reader)
  // git asks with an empty list first whether it may send a large pack.
  if (request.commands.length === 0) return Buffer.alloc(0)
  const faults = request.commands.map((command) => commandFault(command, target.branch))
  if (faults.some((fault) => fault !== undefined)) {
    await drain(reader)
    return refuse(
      deps,
      target,
      request,
      faults.map((fault) => fault ?? 'not pushed: the gateway refused another ref of this push'),
    )
  }
  const right = await target.right()
  if (!right.allowed) {
    await drain(reader)
    return refuse(
      deps,
      target,
      request,
      request.commands.map(() => right.reason),
    )
  }
  return takeIn(deps, target, { request, reader, right })
}

/** The whole request is read, or git reports a broken connection and not our answer. */
async function drain(reader: PktReader): Promise<void> {
  for await (const chunk of reader.rest()) void chunk
}

async function refuse(
  deps: ReceiveDeps,
  target: PushTarget,
  request: PushRequest,
  reasons: readonly string[],
): Promise<Buffer> {
  for (const [index, command] of request.commands.entries())
    await note(deps, target, { ...command, outcome: 'refused', reason: reasons[index] })
  const results = request.commands.map(({ ref }, index): RefResult => ({ ref, refused: reasons[index]! }))
  return pushReport(request, results, [...new Set(reasons)].join('\n'))
}

function note(
  { audit, clock }: ReceiveDeps,
  { remote, identity }: PushTarget,
  { reason, ...ended }: PushCommand & { readonly outcome: PushRecord['outcome']; readonly reason?: string | undefined },
): Promise<void> {
  return audit({
    project: identity.project,
    repository: remote.repository,
    task: identity.task,
    pod: `${identity.task}/${identity.pod}`,
    ...ended,
    ...(reason === undefined ? {} : { reason }),
    at: clock.now(),
  })
}

interface AllowedPush {
  readonly request: PushRequest
  readonly reader: PktReader
  readonly right: PushRight & { allowed: true }
}

async function takeIn(deps: ReceiveDeps, target: PushTarget, { request, reader, right }: AllowedPush): Promise<Buffer> {
  // All commands name the one branch that may be pushed, so there is one, or the same one twice.
  const [command, ...others] = request.commands
  if (command === undefined || others.length > 0) throw new ProtocolError('name one ref, and name it once')
  const repository = await deps.cache.update(target.remote)
  return repository.quarantine(async (quarantine) => {
    const fault =
      (await unpack(quarantine, reader, deps.mostPackBytes)) ??
      (await contentFault(repository, quarantine, command, { ...target, protectedPaths: right.protectedPaths }))
    if (fault !== undefined) return refuse(deps, target, request, [fault])
    return sendOn(deps, target, { request, command, quarantine })
  })
}

/** The pack is checked as it is read: hostile names and broken objects end here. */
async function unpack(quarantine: Quarantine, reader: PktReader, mostBytes: number): Promise<string | undefined> {
  const { code, err } = await quarantine.git(
    ['index-pack', '--stdin', '--fix-thin', '--strict', `--max-input-size=${mostBytes}`],
    reader.rest(),
  )
  return code === 0 ? undefined : `git refused the pack: ${err.trim().split('\n').at(-1) ?? ''}`
}

interface CheckedPush {
  readonly request: PushRequest
  readonly command: PushCommand
  readonly quarantine: Quarantine
}

async function sendOn(
  deps: ReceiveDeps,
  target: PushTarget,
  { request, command, quarantine }: CheckedPush,
): Promise<Buffer> {
  // Written down first: the forge's webhook may arrive before this call returns, and has to find whose head it is.
  await note(deps, target, { ...command, outcome: 'accepted' })
  const { code, out, err } = await quarantine.pushOn(command.after, command.ref)
  if (code === 0) return pushReport(request, [{ ref: command.ref }])
  const reason = forgeRefusal(out, err)
  await note(deps, target, { ...command, outcome: 'failed', reason })
  return pushReport(request, [{ ref: command.ref, refused: reason }], reason)
}

/** Characters: a forge lists each rule that a push breaks, after some lines of ornament. */
const MOST_REFUSAL = 900

/** `!\t<ref>:<ref>\t[remote rejected] (why)` and what the forge says beside it, or the last line of git; without addresses. */
function forgeRefusal(out: string, err: string): string {
  const lines = err.trim().split('\n')
  const rejected = out.split('\n').find((line) => line.startsWith('!'))
  const remoteLines = lines
    .flatMap((line) => (line.startsWith('remote:') ? [line.slice('remote:'.length).trim()] : []))
    .filter((line) => /\w/.test(line))
  const text = rejected === undefined ? (lines.at(-1) ?? '') : [rejected.split('\t').at(-1), ...remoteLines].join('; ')
  return `the forge refused the push: ${text.replaceAll(/https?:\/\/\S+/g, '<forge>')}`.slice(0, MOST_REFUSAL)
}
