import type { Socket } from 'node:net'

/** By line feeds alone: `readline` ends a line at U+2028 too, which stands unescaped in JSON. */
export function onLines(socket: Socket, listener: (line: string) => void): void {
  let partial = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = (partial + text).split('\n')
    partial = lines.pop() ?? ''
    for (const line of lines) listener(line)
  })
}
