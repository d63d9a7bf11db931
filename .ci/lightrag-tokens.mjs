// Writes the ranks that js-tiktoken brings as tiktoken keeps them in its cache: one file for each encoding, named by the
// SHA-1 of the address that tiktoken would ask, whose hash tiktoken itself then checks.
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const folder = process.argv[2]
await mkdir(folder, { recursive: true })
for (const name of ['o200k_base', 'cl100k_base']) {
  const { default: encoding } = await import(`js-tiktoken/ranks/${name}`)
  const lines = encoding.bpe_ranks.split('\n').flatMap((line) => {
    const [, offset, ...tokens] = line.split(' ')
    return tokens.map((token, at) => `${token} ${Number(offset) + at}`)
  })
  const address = `https://openaipublic.blob.core.windows.net/encodings/${name}.tiktoken`
  await writeFile(join(folder, createHash('sha1').update(address).digest('hex')), `${lines.join('\n')}\n`)
}
