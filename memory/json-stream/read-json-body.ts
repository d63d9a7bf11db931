/** Reads a JSON body of up to 32 MiB piece by piece, as the bulk endpoints need it (S1, Limits; rulings 1.5). */
import { createGunzip } from 'node:zlib'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { invalidInput, Problem } from '../../edges/http/problem.ts'
import {
  JsonScanner,
  JsonSyntaxError,
  ValueTooLargeError,
  type ScannerEvents,
  type ScannerLimits,
} from './json-scanner.ts'

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
  let bytes = 0
  try {
    for await (const piece of decoded(request)) {
      bytes += piece.length
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      scanner.write(piece)
      await reader.pieceRead?.()
    }
    if (bytes === 0) throw invalidInput([{ path: '', message: 'a JSON body is required' }])
    scanner.end()
  } catch (error) {
    throw toProblem(error)
  }
}

function decoded(request: FastifyRequest): AsyncIterable<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (!(request.body instanceof Object && 'pipe' in request.body))
    throw invalidInput([{ path: '', message: 'a JSON body is required' }])
  const body = request.body as Readable
  if (encoding === 'identity') return body
  if (encoding !== 'gzip') throw new Problem('unsupported-media-type', 'the body may be encoded by gzip, or not at all')
  const gunzip = createGunzip()
  // `pipe` forwards no error, and a caller who left would leave the unpacking waiting.
  body.on('error', (error) => gunzip.destroy(error))
  return body.pipe(gunzip)
}

function tooLarge(maxBytes: number): Problem {
  return new Problem('body-too-large', `the body may have ${maxBytes} bytes, decoded`, {
    headers: { connection: 'close' },
  })
}

function toProblem(error: unknown): unknown {
  if (error instanceof JsonSyntaxError) return new Problem('malformed-request', error.message, { cause: error })
  if (error instanceof ValueTooLargeError) return invalidInput([{ path: error.path, message: error.message }])
  const code = (error as { readonly code?: unknown }).code
  if (typeof code === 'string' && /^(Z_|ERR_ZLIB)/.test(code))
    return new Problem('malformed-request', 'the body is not valid gzip', { cause: error })
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNABORTED')
    return new Problem('malformed-request', 'the body ended before its length', { cause: error })
  return error
}
