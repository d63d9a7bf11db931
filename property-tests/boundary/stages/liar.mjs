// Stands in place of upload-pack and lies: `node liar.mjs LIE GIT_DIR BRANCH`. What it got rid of it writes to GIT_DIR/sent.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'

const [lie, gitDir, branch] = process.argv.slice(2)
const work = `refs/heads/${branch}`
const capabilities = 'side-band-64k no-progress ofs-delta allow-tip-sha1-in-want allow-reachable-sha1-in-want'
const flush = '0000'
let sent = 0

function write(bytes) {
  return new Promise((resolve) => {
    process.stdout.write(bytes, () => {
      sent += bytes.length
      writeFileSync(join(gitDir, 'sent'), String(sent))
      resolve()
    })
  })
}

function packet(payload) {
  const body = Buffer.isBuffer(payload) ? payload : Buffer.from(payload)
  return Buffer.concat([Buffer.from((body.length + 4).toString(16).padStart(4, '0')), body])
}

function git(args, input) {
  return execFileSync('git', ['--git-dir', gitDir, '-c', 'safe.directory=*', ...args], {
    input,
    maxBuffer: 1 << 28,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
}

/** What the planted commit is, or where the clone's HEAD stands. */
function shaOf(name) {
  const planted = join(gitDir, name)
  return existsSync(planted) ? readFileSync(planted, 'utf8').trim() : git(['rev-parse', 'HEAD']).toString().trim()
}

async function advertise(refs, more = '') {
  for (const [index, [ref, sha]] of refs.entries())
    await write(packet(`${sha} ${ref}${index === 0 ? `\0${capabilities}${more}` : ''}\n`))
  await write(flush)
}

/** Waits for the client's `done`; it may have gone. */
function asked() {
  let heard = ''
  return new Promise((resolve) => {
    process.stdin.on('data', (chunk) => {
      heard += chunk
      if (heard.includes('0009done')) resolve(heard)
    })
    process.stdin.on('end', () => resolve(heard))
  })
}

async function sendPack(pack) {
  await write(packet('NAK\n'))
  await sendBands(pack)
}

async function sendBands(pack) {
  for (let at = 0; at < pack.length; at += 60_000)
    await write(packet(Buffer.concat([Buffer.from([1]), pack.subarray(at, at + 60_000)])))
  await write(flush)
}

function packOf(shas) {
  return git(['pack-objects', '--stdout', '--revs', '--quiet'], `${shas.join('\n')}\n`)
}

function header(objects) {
  const head = Buffer.alloc(12)
  head.write('PACK')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(objects, 8)
  return head
}

/** A blob of two bytes as a pack has it. */
function blobOf(index) {
  const content = Buffer.from([index & 255, index >> 8])
  return Buffer.concat([Buffer.from([0x30 | content.length]), deflateSync(content)])
}

const lies = {
  async 'extra refs'() {
    await advertise([
      [work, shaOf('tip')],
      ['refs/heads/main', shaOf('tip')],
      ['refs/tags/v9', shaOf('tip')],
      ['refs/statewright/pinned/x', shaOf('tip')],
    ])
    await asked()
    await sendPack(packOf([shaOf('tip')]))
  },
  /** The pack itself is the lie. */
  async 'what is planted'() {
    await advertise([[work, shaOf('tip')]])
    await asked()
    await sendPack(packOf([shaOf('tip')]))
  },
  async 'names that climb'() {
    await advertise([
      [work, shaOf('tip')],
      ['refs/heads/../../config', shaOf('tip')],
      ['refs/heads/a.lock', shaOf('tip')],
      ['refs/heads/climbed', shaOf('tip')],
    ])
    await asked()
    await sendPack(packOf([shaOf('tip')]))
  },
  async 'a symbolic HEAD'() {
    await advertise(
      [
        ['HEAD', shaOf('tip')],
        [work, shaOf('tip')],
        ['refs/heads/aimed', shaOf('tip')],
      ],
      ' symref=HEAD:refs/heads/aimed',
    )
    await asked()
    await sendPack(packOf([shaOf('tip')]))
  },
  async 'no end of refs'() {
    const sha = shaOf('tip')
    const line = (index) => packet(`${sha} refs/heads/a${index}${index === 0 ? `\0${capabilities}` : ''}\n`)
    for (let index = 0; index < 24_000; index += 100)
      await write(Buffer.concat(Array.from({ length: 100 }, (_one, more) => line(index + more))))
    await write(packet(`${sha} ${work}\n`))
    await write(flush)
    await asked()
    await sendPack(packOf([sha]))
  },
  async 'no end of bytes'() {
    const sha = shaOf('tip')
    await advertise([[work, sha]])
    await asked()
    await write(packet('NAK\n'))
    const noise = Buffer.alloc(60_000, 'progress ')
    for (let index = 0; index < 400; index++) await write(packet(Buffer.concat([Buffer.from([2]), noise])))
    const pack = packOf([sha])
    await write(packet(Buffer.concat([Buffer.from([1]), pack])))
    await write(flush)
  },
  async 'version two'() {
    await write(packet('version 2\n'))
    await write(packet('agent=liar\n'))
    await write(packet('ls-refs\n'))
    await write(packet('bundle-uri\n'))
    await write(packet('fetch=packfile-uris\n'))
    await write(flush)
    writeFileSync(join(gitDir, 'asked'), '')
    process.stdin.on('data', (chunk) => writeFileSync(join(gitDir, 'asked'), chunk, { flag: 'a' }))
    await new Promise((resolve) => setTimeout(resolve, 500))
  },
  async 'a bare count'() {
    await advertise([[work, shaOf('tip')]])
    await asked()
    await write(packet('NAK\n'))
    await write(packet(Buffer.concat([Buffer.from([1]), header(2_000_000)])))
    for (let index = 0; index < 3000; index++) await write(packet(Buffer.concat([Buffer.from([1]), blobOf(index)])))
  },
  async 'a slow drip'() {
    await advertise([[work, shaOf('tip')]])
    await asked()
    await write(packet('NAK\n'))
    for (let index = 0; index < 18; index++) {
      await write(packet(Buffer.from([2, 46])))
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    await sendBands(packOf([shaOf('tip')]))
  },
  async 'a flood of complaints'() {
    const noise = Buffer.alloc(65_536, '\u001b[2J\u001b]0;approved\u0007')
    for (let index = 0; index < 64; index++) process.stderr.write(noise)
    await advertise([[work, shaOf('tip')]])
    await asked()
    await sendPack(packOf([shaOf('tip')]))
  },
}

await lies[lie]()
process.exit()
