import type { CiReport } from '../forge/port.ts'
import type { Clock } from '../http/ports.ts'
import type { ForgeAccess } from './forge-access.ts'

/** One forge fetch per 20 s and subject (document 2, scm_read); calls in between get the last result. */
const windowMs = 20_000
/** Subjects whose result is kept; the oldest goes first. */
const maxKept = 500

interface CiRead {
  readonly at: number
  readonly result: Promise<object>
}

export function createCiReads(clock: Clock): (access: ForgeAccess, number: number) => Promise<object> {
  const kept = new Map<string, CiRead>()
  return async (access, number) => {
    const key = `${access.project.name}/${access.path}#${number}`
    const last = kept.get(key)
    if (last !== undefined && clock.now() - last.at < windowMs) return { ...(await last.result), cached: true }
    const result = read(access, number, clock.now())
    kept.delete(key)
    kept.set(key, { at: clock.now(), result })
    result.catch(() => kept.delete(key))
    for (const oldest of kept.keys()) {
      if (kept.size <= maxKept) break
      kept.delete(oldest)
    }
    return { ...(await result), cached: false }
  }
}

async function read({ forge, path, repository }: ForgeAccess, number: number, now: number): Promise<object> {
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
    checks: report.checks.map((check) => toCheck(check, required)),
  }
}

/** Last bytes of the log, for a check that failed (document 2). */
const logTailBytes = 4000
const failed = ['failure', 'timed_out', 'cancelled']

function toCheck(
  { name, status, conclusion, url, summary }: CiReport['checks'][number],
  required: readonly string[],
): object {
  const tail = summary !== undefined && failed.includes(conclusion ?? status) ? { logTail: lastBytes(summary) } : {}
  return { name, status, conclusion, url, required: required.includes(name), ...tail }
}

/** Begun at a code point: half a character is none. */
function lastBytes(text: string): string {
  const bytes = Buffer.from(text, 'utf8')
  let start = Math.max(0, bytes.length - logTailBytes)
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
  return bytes.subarray(start).toString('utf8')
}
