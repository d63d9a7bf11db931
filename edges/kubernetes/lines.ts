/** The lines of a stream; the last one counts without its line break too. Empty lines are left out. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  for await (const chunk of chunks) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    parts.push(first)
    for (const next of others) {
      const line = parts.join('')
      parts = [next]
      if (line.trim() !== '') yield line
    }
  }
  const last = parts.join('') + decoder.decode()
  if (last.trim() !== '') yield last
}
