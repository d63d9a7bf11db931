import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { Problem, problemBody } from './problems/problem.ts'

/** Bytes that are no HTTP get an answer in the same form as everything else, when there is anyone left to read it. */
export function answerBrokenConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  answerOn(socket, new Problem('malformed-request'))
}

/** Where no request came of it that a route could answer: the last thing that is said on this connection. */
export function answerOn(socket: Socket, problem: Problem): void {
  const body = JSON.stringify(problemBody(problem))
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'content-type: application/problem+json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}
