import { sleep, type Clock } from '../../runtime/clock.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { claimRead, dropRead, dropReadsBefore, loadRead, storeRead } from './ci-store.ts'
import { isRequired } from '../forge/ci.ts'
import type { CiCheck, CiReport, RequiredChecks } from '../forge/port.ts'
import type { ForgeAccess } from './forge-access.ts'

/** One forge fetch per 20 s and subject, of all processes (TOOL-CI-2, TOOL-CI-3); calls in between get the last result. */
const windowMs = 20_000
/** Longer than the forge's own deadlines together, so that who is silent has died. */
const answerMs = 60_000
const lookAgainMs = 250
/** Results that nobody can ask for any more go with the next fetch. */
const keptMs = 60 * 60 * 1000

interface CiReadsOptions {
  readonly sql: Sql
  readonly clock: Clock
}

/** Reads the checks of a merge request, or gives what was read in this window. */
export function createCiReads({
  sql,
  clock,
}: CiReadsOptions): (access: ForgeAccess, number: number) => Promise<object> {
  /** Of this process: calls that come at once ask the store once. */
  const asking = new Map<string, Promise<object>>()
  return async (access, number) => {
    const subject = `${access.project.uid}/${access.path}#${number}`
    const other = asking.get(subject)
    if (other !== undefined) return { ...(await other), cached: true }
    const mine = fetchOrShare(subject, () => read(access, number, clock.now())).finally(() => asking.delete(subject))
    asking.set(subject, mine)
    return mine
  }

  async function fetchOrShare(subject: string, fetch: () => Promise<object>): Promise<object> {
    const now = clock.now()
    if (await claimRead(sql, subject, now, now - windowMs)) return fetchOwn(subject, now, fetch)
    const kept = await loadRead(sql, subject)
    if (kept?.result !== undefined) return { ...kept.result, cached: true }
    if (kept !== undefined && now - kept.askedAt > answerMs) await dropRead(sql, subject, kept.askedAt)
    else if (kept !== undefined) await sleep(clock, lookAgainMs)
    return fetchOrShare(subject, fetch)
  }

  async function fetchOwn(subject: string, askedAt: number, fetch: () => Promise<object>): Promise<object> {
    try {
      const result = await fetch()
      await storeRead(sql, subject, askedAt, result)
      await dropReadsBefore(sql, askedAt - keptMs)
      return { ...result, cached: false }
    } catch (error) {
      await dropRead(sql, subject, askedAt)
      throw error
    }
  }
}

async function read(access: ForgeAccess, number: number, now: number): Promise<object> {
  const { forge, path, repository } = access
  const mr = await forge.mergeRequest(path, number)
  const required = await forge.requiredChecks(path, mr.baseBranch)
  const report: CiReport = await forge.ci(path, mr.headSha)
  return {
    repo: repository.name,
    number,
    status: report.status,
    mergeable: mr.mergeable === true && report.status !== 'failure',
    headSha: mr.headSha,
    fetchedAt: new Date(now).toISOString(),
    checks: await Promise.all(report.checks.map((check) => toCheck(access, check, required))),
  }
}

/** Last bytes of the log, for a check that failed (TOOL-CI-6, TOOL-CI-7). */
const logTailBytes = 4000
const failed = ['failure', 'timed_out', 'cancelled']

async function toCheck(access: ForgeAccess, check: CiCheck, required: RequiredChecks): Promise<object> {
  const { name, status, conclusion, url } = check
  const log = isLogged(check) ? await logOf(access, check) : undefined
  const tail = log === undefined ? {} : { logTail: lastBytes(log) }
  return { name, status, conclusion, url, required: isRequired(required, name), ...tail }
}

/** Another system's row names its page, and a trigger's row the pipeline that it started. */
function isLogged({ conclusion, status, external }: CiCheck): boolean {
  return external !== true && failed.includes(conclusion ?? status)
}

/** A log that cannot be read leaves the verdict as it is. */
async function logOf({ forge, path }: ForgeAccess, { job, log }: CiCheck): Promise<string | undefined> {
  const own = job === undefined ? undefined : await forge.jobLog(path, job).catch(() => undefined)
  return own ?? log
}

/** Begun at a code point: half a character is none. */
function lastBytes(text: string): string {
  const bytes = Buffer.from(text, 'utf8')
  let start = Math.max(0, bytes.length - logTailBytes)
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
  return bytes.subarray(start).toString('utf8')
}
