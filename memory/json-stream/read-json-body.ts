/** Reads a JSON body of up to 32 MiB piece by piece, as the bulk endpoints need it (MEMORY-LIMITS-3, MEMORY-RULE-9). */
import { createGunzip } from 'node:zlib'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { invalidInput, Problem } from '../../http/problems/problem.ts'
import { JsonScanner, ValueTooLargeError, type ScannerEvents, type ScannerLimits } from './json-scanner.ts'
import { JsonSyntaxError } from './parse-value.ts'
import { codeOf } from '../../runtime/errors.ts'

export const maxBulkBytes = 32 * 1024 * 1024

export interface BulkReader extends ScannerEvents {
  /** After each piece of the body: the place to store what came, while nothing more is read. */
  readonly pieceRead?: () => Promise<void>
}

/**
 * Hands the body of `request`, a stream (`streamBodies`), to the reader. Throws 400 for what is no JSON, 413 beyond
 * `maxBytes` decoded bytes, 415 for an encoding other than gzip.
 */
export async function readJsonBody(
  request: FastifyRequest,
  limits: Omit<ScannerLimits, 'maxValueBytes'> & { readonly maxValueBytes?: number; readonly maxBytes?: number },
  reader: BulkReader,
): Promise<void> {
  const { maxBytes = maxBulkBytes, maxValueBytes = maxBytes, arrays } = limits
  const scanner = new JsonScanner({ arrays, maxValueBytes }, reader)
  await readPieces(request, maxBytes, async (piece) => {
    scanner.write(piece)
    await reader.pieceRead?.()
  })
  try {
    scanner.end()
  } catch (error) {
    throw toProblem(error)
  }
}

/** Hands the decoded bytes of the body on as they come. Throws as `readJsonBody`, and 400 where there are none. */
export async function readPieces(
  request: FastifyRequest,
  maxBytes: number,
  take: (piece: Buffer) => Promise<void>,
): Promise<void> {
  const body = bodyOf(request)
  const stream = decoded(request, body)
  let bytes = 0
  try {
    // Left early it would be destroyed, and its connection with the answer on it, or with the next request behind it.
    for await (const piece of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += piece.length
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      await take(piece)
    }
    if (bytes === 0) throw invalidInput([{ path: '', message: 'a JSON body is required' }])
  } catch (error) {
    leave(body, stream)
    throw toProblem(error)
  }
}

/** Bytes that are read and thrown away so that a caller, who sends all before it listens, hears why it was refused. */
export const mostDrained = 4 * maxBulkBytes

function leave(body: Readable, stream: Readable): void {
  if (stream !== body) body.unpipe()
  let bytes = 0
  body.on('data', (piece: Buffer) => {
    bytes += piece.length
    if (bytes > mostDrained) body.destroy()
  })
  body.on('error', () => undefined)
  body.resume()
}

function bodyOf(request: FastifyRequest): Readable {
  if (request.body instanceof Object && 'pipe' in request.body) return request.body as Readable
  throw invalidInput([{ path: '', message: 'a JSON body is required' }])
}

function decoded(request: FastifyRequest, body: Readable): Readable {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding === 'identity') return body
  if (encoding !== 'gzip') throw new Problem('unsupported-media-type', 'the body must be plain or gzip')
  const gunzip = createGunzip()
  // `pipe` forwards no error, and a caller who left would leave the unpacking waiting.
  body.on('error', (error) => gunzip.destroy(error))
  return body.pipe(gunzip)
}

function tooLarge(maxBytes: number): Problem {
  return new Problem('body-too-large', `the decoded body is larger than ${maxBytes} bytes`)
}

/** What a fault of the body is answered with; another error stays what it is. */
export function toProblem(error: unknown): unknown {
  if (error instanceof JsonSyntaxError) return new Problem('malformed-request', error.message, { cause: error })
  if (error instanceof ValueTooLargeError) return invalidInput([{ path: error.path, message: error.message }])
  const code = codeOf(error)
  if (code !== undefined && /^(Z_|ERR_ZLIB)/.test(code))
    return new Problem('malformed-request', 'the body is not valid gzip', { cause: error })
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNABORTED')
    return new Problem('malformed-request', 'the body is shorter than its Content-Length', { cause: error })
  return error
}
