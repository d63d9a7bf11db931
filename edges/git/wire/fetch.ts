/** A fetch of a pod, passed through to the forge: bytes as they come, protocol v2 and compression untouched. */
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { IncomingHttpHeaders } from 'node:http'
import type { Fetch } from '../../../http/ports.ts'
import { Problem } from '../../../http/problems/problem.ts'
import type { Remote } from '../store/cache.ts'
import { basicToken } from '../store/run-git.ts'

interface PassedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}

const passedOn = ['accept', 'content-type', 'content-encoding', 'git-protocol'] as const
const passedBack = ['content-type', 'cache-control', 'expires', 'pragma'] as const

interface PodRequest {
  /** Below the remote's address, with its query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Readable | undefined
}

export async function passFetch(
  fetch: Fetch,
  remote: Remote,
  { path, headers, body }: PodRequest,
): Promise<PassedAnswer> {
  const sent = Object.fromEntries(
    passedOn.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  )
  const init = {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...sent, authorization: basicToken(remote.token), 'user-agent': 'git/statewright' },
    redirect: 'error' as const,
    ...(body === undefined ? {} : { body: Readable.toWeb(body) as ReadableStream, duplex: 'half' as const }),
  }
  const answer = await fetch(`${remote.url.replace(/\/+$/, '')}/${path}`, init as RequestInit).catch(
    (error: unknown) => {
      throw new Problem('upstream-failed', 'the forge does not answer', { cause: error })
    },
  )
  if (answer.status !== 200) {
    await answer.body?.cancel()
    throw new Problem('upstream-failed', `the forge answered ${answer.status}`)
  }
  const back = Object.fromEntries(
    passedBack.flatMap((name) => (answer.headers.get(name) === null ? [] : [[name, answer.headers.get(name)!]])),
  )
  return {
    status: 200,
    headers: back,
    body: answer.body === null ? Readable.from([]) : Readable.fromWeb(answer.body as ReadableStream),
  }
}
