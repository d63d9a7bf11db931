import { spawn, type ChildProcess } from 'node:child_process'
import { scrypt, type BinaryLike, type ScryptOptions } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPlainSpace, type CommandSpace } from '../../space/space.ts'
import { makeOrigin, runGit } from '../../testing/pod.ts'
import type { GitResult } from '../git.ts'
import { makeBare } from './bare.ts'
import { createOutsideGit, outsideSide } from './git.ts'
import type { WireLimits } from './pack-limits.ts'
import { createWire } from './wire.ts'

const scrypted = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt)
const identity = { login: 'bot', email: 'bot@example.invalid' }
const path = process.env['PATH']!
const refspec = '+refs/heads/main:refs/statewright/agent/main'
const sha = 'b'.repeat(40)

describe('the wire between the clone and the bare repository', () => {
  let dir: string
  let clone: string
  let bare: string
  const side = (): Parameters<typeof outsideSide>[0] => ({ path, home: dir, identity })

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'wire-'))
    clone = join(dir, 'clone')
    runGit(dir, 'clone', '--quiet', makeOrigin(dir), clone)
    bare = await makeBare(createOutsideGit(side()), join(dir, 'bare'), 'lib')
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  /** A space in which `git upload-pack` is what an agent made of it. */
  function lyingSpace(liar: string): CommandSpace {
    const plain = openPlainSpace()
    return {
      ...plain,
      spawn: (command, run) => plain.spawn(command.includes('upload-pack') ? [process.execPath, liar] : command, run),
    }
  }

  function liar(text: string): string {
    const program = join(dir, 'liar.mjs')
    writeFileSync(
      program,
      `const packet = (payload) => {
         const body = Buffer.from(payload)
         return Buffer.concat([Buffer.from((body.length + 4).toString(16).padStart(4, '0')), body])
       }
       const say = (...packets) => process.stdout.write(Buffer.concat(packets.map((one) => Buffer.from(one))))
       const ref = (sha, name, capabilities = '') => packet(sha + ' ' + name + (capabilities && '\\0' + capabilities) + '\\n')
       const onBand = (payload) => packet(Buffer.concat([Buffer.from([1]), payload]))
       process.stdout.on('error', () => process.exit(0))
       ${text}`,
    )
    return program
  }

  const take = (
    space: CommandSpace,
    {
      refspecs = [refspec],
      limits = {},
      timeoutMs = 20_000,
    }: { refspecs?: string[]; limits?: Partial<WireLimits>; timeoutMs?: number } = {},
  ): Promise<GitResult> =>
    createWire({ space, outside: outsideSide(side()), path, identity, limits, timeoutMs })({
      direction: 'take',
      bare,
      clone,
      refspecs,
    })

  /** The wall taken down: the fetching git alone between the liar and the repository. */
  function withoutLimits(
    program: string,
    refspecs = [refspec],
    extra: readonly string[] = [],
  ): { git: ChildProcess; bytes: () => number; end: Promise<number> } {
    const git = spawn('git', [...extra, 'fetch', '--quiet', 'fd::3,4', ...refspecs], {
      cwd: bare,
      env: { PATH: path, HOME: dir },
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    })
    const server = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'ignore'] })
    let bytes = 0
    for (const stream of [git.stdio[3]!, server.stdin]) stream.on('error', () => undefined)
    server.stdout.on('data', (chunk: Buffer) => (bytes += chunk.length))
    server.stdout.pipe(git.stdio[3] as NodeJS.WritableStream)
    ;(git.stdio[4] as NodeJS.ReadableStream).pipe(server.stdin)
    const end = new Promise<number>((resolve) =>
      git.on('close', (code) => (server.kill('SIGKILL'), resolve(code ?? 128))),
    )
    return { git, bytes: () => bytes, end }
  }

  const refs = (): string => runGit(bare, 'for-each-ref', '--format=%(refname)')

  test('takes exactly the ref that was asked for', async () => {
    for (const name of [
      'refs/heads/other',
      'refs/tags/v1',
      'refs/remotes/origin/stolen',
      'refs/statewright/agent/planted',
    ])
      runGit(clone, 'update-ref', name, 'HEAD')
    expect((await take(openPlainSpace())).code).toBe(0)
    expect(refs()).toBe('refs/statewright/agent/main')
    expect(existsSync(join(bare, 'FETCH_HEAD'))).toBe(false)
    expect(readdirSync(join(bare, 'objects')).toSorted()).toEqual(['info', 'pack'])
    // The same clone, asked for everything.
    expect((await take(openPlainSpace(), { refspecs: ['+refs/*:refs/all/*'] })).code).toBe(0)
    expect(refs()).toContain('refs/all/statewright/agent/planted')
  })

  test('serves the bare repository to the clone, and nothing of the clone’s configuration is asked outside', async () => {
    await take(openPlainSpace())
    const wire = createWire({ space: openPlainSpace(), outside: outsideSide(side()), path, identity })
    const served = await wire({
      direction: 'serve',
      bare,
      clone,
      refspecs: ['+refs/statewright/agent/main:refs/remotes/origin/back'],
    })
    expect([served.code, runGit(clone, 'rev-parse', 'refs/remotes/origin/back')]).toEqual([
      0,
      runGit(clone, 'rev-parse', 'HEAD'),
    ])
  })

  const structures: readonly [what: string, make: () => string][] = [
    [
      'a folder .GIT with a configuration',
      () => tree(`040000 tree ${runGit(clone, 'rev-parse', 'HEAD^{tree}')}\t.GIT`),
    ],
    ['a folder .git', () => tree(`040000 tree ${runGit(clone, 'rev-parse', 'HEAD^{tree}')}\t.git`)],
    [
      'a .gitmodules that is a link',
      () => tree(`120000 blob ${runGit(clone, 'rev-parse', 'HEAD:README.md')}\t.gitmodules`),
    ],
    ['a file named ..', () => tree(`100644 blob ${runGit(clone, 'rev-parse', 'HEAD:README.md')}\t..`)],
  ]
  /** `mktree` checks no names. */
  function tree(entry: string): string {
    writeFileSync(join(dir, 'entry'), `${entry}\n`)
    return shell(`git mktree < ${join(dir, 'entry')}`)
  }
  function shell(script: string): string {
    writeFileSync(join(dir, 'script'), script)
    return runGit(clone, '-c', `alias.run=!sh ${join(dir, 'script')}`, 'run')
  }

  test.each(structures)('refuses %s', async (_what, make) => {
    runGit(clone, 'update-ref', 'refs/heads/main', runGit(clone, 'commit-tree', make(), '-p', 'HEAD', '-m', 'x'))
    expect((await take(openPlainSpace())).stderr).toMatch(/fsck error|hasDot|gitmodules/i)
    expect(refs()).toBe('')
    // Without the check the same commit comes over.
    expect(runGit(bare, 'fetch', '--quiet', clone, refspec)).toBe('')
    expect(refs()).toBe('refs/statewright/agent/main')
  })

  test('refuses a commit as often as it is sent, also where git finds the fault after the pack is stored', async () => {
    for (let index = 0; index < 20; index++) writeFileSync(join(clone, `file-${index}`), `${index}\n`)
    runGit(clone, 'add', '.')
    runGit(clone, 'commit', '--quiet', '-m', 'many')
    expect((await take(openPlainSpace())).code).toBe(0)
    const honest = runGit(bare, 'rev-parse', 'refs/statewright/agent/main')
    // Its tree is sent as a delta, so the blob is read before anything says that it is a .gitmodules.
    writeFileSync(join(clone, '.gitmodules'), '[submodule "x"]\n\tpath = x\n\turl = -u./evil\n')
    runGit(clone, 'add', '.')
    runGit(clone, 'commit', '--quiet', '-m', 'odd')
    const odd = runGit(clone, 'rev-parse', 'HEAD')
    const attempts = [await take(openPlainSpace()), await take(openPlainSpace())]
    expect(attempts.map(({ code }) => code)).not.toContain(0)
    expect(runGit(bare, 'rev-parse', 'refs/statewright/agent/main')).toBe(honest)
    expect(() => runGit(bare, 'cat-file', '-e', odd)).toThrow()
    expect(readdirSync(join(bare, 'objects')).filter((name) => name.startsWith('incoming'))).toEqual([])
  })

  test('ends when the other side ended before anything was read of it', async () => {
    const plain = openPlainSpace()
    const gone: CommandSpace = { ...plain, spawn: (_command, run) => plain.spawn(['false'], run) }
    // Work of the file system waits behind these, while the server ends.
    const busy = Promise.all(Array.from({ length: 12 }, () => scrypted('a', 'b', 16, { N: 2 ** 15, maxmem: 2 ** 27 })))
    const began = performance.now()
    expect((await take(gone, { timeoutMs: 60_000 })).code).not.toBe(0)
    // Ended by itself, not by its limit.
    expect(performance.now() - began).toBeLessThan(50_000)
    await busy
  })

  test('ends in its time when what the other side started outlives it and says nothing', async () => {
    const plain = openPlainSpace()
    const silent: CommandSpace = {
      ...plain,
      spawn: (_command, run) => plain.spawn(['sh', '-c', 'sleep 60 & wait'], run),
    }
    const began = performance.now()
    expect((await take(silent, { timeoutMs: 500 })).code).not.toBe(0)
    expect(performance.now() - began).toBeLessThan(50_000)
  })

  test('takes no history that is cut off', async () => {
    const first = runGit(clone, 'rev-parse', 'HEAD')
    runGit(clone, 'commit', '--quiet', '--allow-empty', '-m', 'second')
    const second = runGit(clone, 'rev-parse', 'HEAD')
    writeFileSync(join(clone, '.git', 'shallow'), `${second}\n`)
    await take(openPlainSpace())
    expect([refs(), existsSync(join(bare, 'shallow'))]).toEqual(['', false])
    // Asked to, git makes the repository a shallow one.
    runGit(bare, 'fetch', '--quiet', '--update-shallow', `file://${clone}`, refspec)
    expect(readFileSync(join(bare, 'shallow'), 'utf8').trim()).toBe(second)
    expect(() => runGit(bare, 'cat-file', '-e', first)).toThrow()
  })

  test('holds every object itself, also where the clone borrows them', async () => {
    const lender = join(dir, 'lender')
    runGit(dir, 'clone', '--quiet', '--bare', clone, lender)
    rmSync(join(clone, '.git', 'objects'), { recursive: true })
    mkdirSync(join(clone, '.git', 'objects', 'info'), { recursive: true })
    writeFileSync(join(clone, '.git', 'objects', 'info', 'alternates'), `${join(lender, 'objects')}\n`)
    expect((await take(openPlainSpace())).code).toBe(0)
    rmSync(lender, { recursive: true })
    expect(existsSync(join(bare, 'objects', 'info', 'alternates'))).toBe(false)
    expect(runGit(bare, 'rev-list', '--objects', 'refs/statewright/agent/main')).toContain('README.md')
    expect(() => runGit(clone, 'rev-list', '--objects', 'HEAD')).toThrow()
  })

  test('takes a history with the harmless faults of old tools', async () => {
    const head = runGit(clone, 'cat-file', 'commit', 'HEAD').replace(/ \+0000/g, ' +051800')
    writeFileSync(join(dir, 'commit'), `${head}\n`)
    runGit(
      clone,
      'update-ref',
      'refs/heads/main',
      shell(`git hash-object -t commit -w --literally ${join(dir, 'commit')}`),
    )
    expect((await take(openPlainSpace())).code).toBe(0)
  })

  const endless = `
    say(ref('${sha}', 'HEAD', 'side-band-64k'), ref('${sha}', 'refs/heads/main'), '0000')
    process.stdin.once('data', () => {
      const header = Buffer.from('PACK\\0\\0\\0\\u0002\\0\\0\\0\\u0001', 'latin1')
      say(packet('NAK\\n'), onBand(header))
      const more = () => { while (process.stdout.write(packet(Buffer.concat([Buffer.from([2]), Buffer.alloc(60000, 46)])))); process.stdout.once('drain', more) }
      more()
    })`
  test('ends a stream without end at its limit of bytes', async () => {
    const program = liar(endless)
    const taken = await take(lyingSpace(program), { limits: { bytes: 1_000_000 } })
    expect([taken.code, taken.stderr]).toEqual([128, 'the clone sent more than 1000000 bytes'])
    const { git, bytes, end } = withoutLimits(program)
    while (bytes() < 5_000_000) await new Promise((resolve) => setImmediate(resolve))
    git.kill('SIGKILL')
    await end
  })

  test('ends a clone that promises more objects than a repository has', async () => {
    const program = liar(`
      say(ref('${sha}', 'HEAD', 'side-band-64k'), ref('${sha}', 'refs/heads/main'), '0000')
      process.stdin.once('data', () => {
        const header = Buffer.from('PACK\\0\\0\\0\\u0002\\0\\0\\0\\0', 'latin1')
        header.writeUInt32BE(4_000_000_000, 8)
        say(packet('NAK\\n'), onBand(header))
      })`)
    expect((await take(lyingSpace(program))).stderr).toMatch(/more than 5000000 objects/)
  })

  test('ends a clone that never answers', async () => {
    const program = liar(`process.stdin.resume()`)
    expect((await take(lyingSpace(program), { timeoutMs: 1000 })).code).not.toBe(0)
  })

  test('keeps no ref of what is not all there', async () => {
    const program = liar(`
      say(ref('${sha}', 'HEAD', 'side-band-64k'), ref('${sha}', 'refs/heads/main'), '0000')
      process.stdin.once('data', () => {
        const { createHash } = process.getBuiltinModule('node:crypto')
        const header = Buffer.from('PACK\\0\\0\\0\\u0002\\0\\0\\0\\0', 'latin1')
        say(packet('NAK\\n'), onBand(Buffer.concat([header, createHash('sha1').update(header).digest()])), '0000')
        process.stdout.end()
      })`)
    expect((await take(lyingSpace(program))).code).not.toBe(0)
    expect(refs()).toBe('')
  })

  test('fetches no address that the clone names, by a protocol that nobody asked for', async () => {
    const asked: string[] = []
    const trap = createServer((request, response) => (asked.push(request.url!), response.writeHead(404).end()))
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/evil.pack`
    const program = liar(`
      say(packet('version 2\\n'), packet('ls-refs\\n'), packet('fetch\\n'), packet('object-format=sha1\\n'), '0000')
      let told = ''
      process.stdin.on('data', (chunk) => {
        told += chunk
        if (told.includes('command=fetch')) {
          say(packet('packfile-uris\\n'), packet('${'c'.repeat(40)} ${address}\\n'), '0001', packet('packfile\\n'))
          const { createHash } = process.getBuiltinModule('node:crypto')
          const header = Buffer.from('PACK\\0\\0\\0\\u0002\\0\\0\\0\\0', 'latin1')
          say(onBand(Buffer.concat([header, createHash('sha1').update(header).digest()])), '0000')
        } else if (told.includes('command=ls-refs')) say(ref('${sha}', 'refs/heads/main'), '0000')
      })`)
    try {
      expect((await take(lyingSpace(program))).stderr).toMatch(/protocol version/)
      expect(asked).toEqual([])
      // Once in a whole run of CI git had ended before it asked.
      for (let tries = 0; tries < 5 && asked.length === 0; tries++) await withoutLimits(program).end
      expect(asked.join()).toContain('evil.pack')
    } finally {
      await new Promise((resolve) => trap.close(resolve))
    }
  })
})
