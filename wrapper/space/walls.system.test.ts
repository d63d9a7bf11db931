import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Walls } from './open-walls.ts'
import type { Seclusion } from './space.ts'
import {
  grantedKinds,
  inCommands,
  inView,
  makePlace,
  neighbour,
  runWords,
  wallsAt,
  type Place,
} from './testing/walls.ts'

const kinds = await grantedKinds()
const refusal = kinds.length === 0 ? ' (skipped: this machine refuses namespaces)' : ''
const secret = 'a-canary-of-the-wrapper'

async function open(kind: Seclusion, profile = 'implement'): Promise<{ readonly place: Place; readonly walls: Walls }> {
  const place = makePlace('required', profile)
  const walls = await wallsAt(place, kind)
  onTestFinished(async () => {
    await walls.space.close()
    place.remove()
  })
  return { place, walls }
}

/** What a command gets that goes for the wrapper, and what becomes of the wrapper's file. */
async function attempt(kind: Seclusion): Promise<{ readonly said: string; readonly left: string }> {
  const { place, walls } = await open(kind)
  const wrapper = neighbour(secret)
  onTestFinished(() => wrapper.end())
  const { said } = inCommands(
    walls,
    `cat /proc/${wrapper.pid}/environ 2>/dev/null | tr '\\0' '\\n'
    kill -0 ${wrapper.pid} 2>/dev/null && echo reached
    cat ${place.witness} 2>/dev/null
    cat ${join(place.link, 'model.sock')} 2>/dev/null
    cat ${join(place.config.home, '.claude/settings.json')} 2>/dev/null
    echo forged 2>/dev/null >> ${place.witness}; echo end`,
    place.config.workspaceDir,
  )
  return { said: said.replaceAll(/.*cannot create.*\n/g, ''), left: readFileSync(place.witness, 'utf8') }
}

describe.skipIf(kinds.length === 0)(`a command of the agent${refusal}`, () => {
  test.each(kinds)(
    'reads nothing of the wrapper, of its sockets and of what the CLI obeys: %s (WRAPPER-SECRETS-2)',
    async (kind) => expect(await attempt(kind)).toEqual({ said: 'end', left: 'the turns\n' }),
  )

  test('without walls does all of it', async () => {
    const said = `SECRET=${secret}\nreached\nthe turns\nstands for a socket\n{}\nend`
    expect(await attempt('none')).toEqual({ said, left: 'the turns\nforged\n' })
  })

  test.each(kinds)('cannot take a cover away nor get into another namespace: %s', async (kind) => {
    const { place, walls } = await open(kind)
    const { stateDir, workspaceDir } = place.config
    const attempts = [
      `umount ${stateDir}`,
      'umount -l /proc',
      `unshare --user --map-root-user --mount umount ${stateDir}`,
      `nsenter --target ${process.pid} --mount cat ${place.witness}`,
      `nsenter --target 1 --user --mount umount ${stateDir}`,
      `cat ${place.witness}`,
    ]
    expect(inCommands(walls, attempts.join('; '), workspaceDir).said).not.toContain('the turns')
  })

  test.each(kinds)('sees no process of the CLI, which sees and may end it: %s', async (kind) => {
    const { walls } = await open(kind)
    await walls.openView(['lib'])
    const script = `sleep 41 & pid=$!
      ${join(walls.link, 'bin/bash')} -c 'ps -e -o args; sleep 43 >/dev/null 2>&1 &'
      echo view; ps -e -o args; kill $pid`
    const [inside = '', view = ''] = inView(walls, script).said.split('view\n')
    expect(inside).not.toContain('sleep 41')
    expect(view).toContain('sleep 41')
    expect(view).toContain('sleep 43')
  })

  test.each(kinds)('has a terminal, shared memory and temporary folders of its own: %s', async (kind) => {
    const { place, walls } = await open(kind)
    await walls.openView(['lib'])
    inView(walls, 'echo from the view > /dev/shm/note; echo mine > "$HOME/.tmp-note"', { HOME: place.config.home })
    const { said } = inCommands(
      walls,
      `ls /dev/pts; cat /dev/shm/note ${place.config.home}/.tmp-note /tmp/walls-*/witness 2>/dev/null; tty`,
      place.config.workspaceDir,
    )
    expect(said).toBe('ptmx\nnot a tty')
  })

  test.each(kinds)('works in its clones as the user that it was, and ends with its own exit code: %s', async (kind) => {
    const { place, walls } = await open(kind)
    await walls.openView(['lib'])
    const lib = join(place.config.workspaceDir, 'lib')
    expect(inCommands(walls, 'id -u; echo work > file; exit 7', lib)).toEqual({
      status: 7,
      said: String(process.getuid?.()),
    })
    expect(readFileSync(join(lib, 'file'), 'utf8')).toBe('work\n')
  })

  test.each(kinds)('cannot write at the root of the workspace, which the CLI obeys: %s', async (kind) => {
    const { place, walls } = await open(kind)
    const { workspaceDir } = place.config
    expect(inCommands(walls, 'echo early > early', workspaceDir).status).toBe(0)
    await walls.openView(['lib'])
    for (const attack of ['echo x > .mcp.json', 'echo x > CLAUDE.md', 'mkdir .claude', 'mv lib other'])
      expect(inCommands(walls, attack, workspaceDir).status, attack).not.toBe(0)
    expect(readFileSync(join(workspaceDir, 'CLAUDE.md'), 'utf8')).toBe('obey\n')
  })

  test.each(kinds)('without a network reaches no loopback: %s', async (kind) => {
    const { place, walls } = await open(kind)
    const words = walls.space.wrap(
      ['/bin/sh', '-c', 'tail -n +3 /proc/net/dev | cut -d: -f1'],
      false,
      place.config.home,
    )
    expect(runWords(words).said).toBe('lo')
    expect(inCommands(walls, 'cat /proc/net/route | wc -l', '/').status).toBe(0)
  })

  test.each(kinds)('leaves no dead process behind, and what it started lives on: %s', async (kind) => {
    const { place, walls } = await open(kind)
    await walls.openView(['lib'])
    const { workspaceDir } = place.config
    inCommands(walls, '(sleep 0.05 >/dev/null 2>&1 &); sleep 47 >/dev/null 2>&1 &', workspaceDir)
    const { said } = inCommands(
      walls,
      'for i in 1 2 3 4 5 6 7 8 9 10; do ps -e -o args | grep -q "^sleep 0.05\\|defunct" || break; sleep 0.2; done; ps -e -o stat,args | grep -v "ps -e\\|grep"',
      workspaceDir,
    )
    expect(said).toContain('sleep 47')
    expect(said).not.toContain('defunct')
  })

  test.each(kinds)('ends with the space: %s', async (kind) => {
    const { place, walls } = await open(kind)
    const beat = join(place.config.workspaceDir, 'lib', 'beat')
    inCommands(walls, `(while :; do echo x >> ${beat}; sleep 0.02; done >/dev/null 2>&1 &)`, '/')
    await vi.waitUntil(() => existsSync(beat), { timeout: 30_000 })
    await walls.space.close()
    const size = readFileSync(beat, 'utf8').length
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(readFileSync(beat, 'utf8').length).toBe(size)
  })
})

describe.skipIf(!kinds.includes('root'))('what a superuser may write of the machine', () => {
  /** A `mount` that the machine lets do anything but overlays. */
  function withoutOverlays(place: Place): Place {
    const bin = join(place.dir, 'bin')
    mkdirSync(bin)
    const text = '#!/bin/sh\ncase " $* " in *" overlay "*) exit 32 ;; esac\nexec /usr/bin/mount "$@"\n'
    writeFileSync(join(bin, 'mount'), text, { mode: 0o755 })
    return { ...place, config: { ...place.config, path: `${bin}:${place.config.path}` } }
  }
  const mark = `statewright-walls-${process.pid}`
  afterEach(() => rmSync(`/usr/bin/${mark}`, { force: true }))
  const write = `echo written > /usr/bin/${mark} && cat /usr/bin/${mark}`

  test('is a copy of his own where overlays are granted', async () => {
    const { place, walls } = await open('root')
    const { said } = inCommands(walls, write, place.config.workspaceDir)
    expect([said.trim(), existsSync(`/usr/bin/${mark}`)]).toEqual(['written', false])
  })

  test('is nothing where the machine refuses overlays, nor what is mounted below', async () => {
    const place = withoutOverlays(makePlace())
    const walls = await wallsAt(place, 'root')
    onTestFinished(async () => {
      await walls.space.close()
      place.remove()
    })
    const { said } = inCommands(walls, write, place.config.workspaceDir)
    expect([/read-only/i.test(said), existsSync(`/usr/bin/${mark}`)]).toEqual([true, false])
    const mounts = inCommands(walls, 'findmnt -n -r -o TARGET,OPTIONS', place.config.workspaceDir).said
    const ofMachine = mounts.split('\n').filter((line) => /^\/(usr|etc|opt|bin|sbin|lib)/.test(line))
    expect(ofMachine.length).toBeGreaterThan(1)
    expect(ofMachine.filter((line) => !/ ro(,|$)/.test(line))).toEqual([])
  })
})

describe.skipIf(kinds.length === 0)(`the CLI’s view${refusal}`, () => {
  test.each(kinds)('follows no link that a command planted: %s', async (kind) => {
    const { place, walls } = await open(kind)
    await walls.openView(['lib'])
    const { workspaceDir, home } = place.config
    const plant = `ln -s ${home}/.claude/settings.json lib/a; ln -s ${home} /tmp/b`
    expect(inCommands(walls, plant, workspaceDir).status).toBe(0)
    const { said } = inView(walls, `cat lib/a; cat /tmp/b/.claude/settings.json; echo x > lib/a`)
    expect(said).not.toContain('{}')
    expect(said.split('\n').length).toBe(3)
    expect(readFileSync(join(home, '.claude/settings.json'), 'utf8')).toBe('{}\n')
  })

  test('a view without that flag is led there', async () => {
    const { place, walls } = await open('none')
    const { workspaceDir, home } = place.config
    symlinkSync(join(home, '.claude/settings.json'), join(workspaceDir, 'lib', 'a'))
    expect(runWords(walls.view(['/bin/sh', '-c', 'cat lib/a']), {}, workspaceDir).said).toBe('{}')
  })

  test.each(kinds)('may write what the CLI must write and nothing that it obeys: %s', async (kind) => {
    const { place, walls } = await open(kind)
    await walls.openView(['lib'])
    const home = join(place.config.home, '.claude')
    expect(inView(walls, `mkdir ${home}/projects && echo {} > ${home}.json && echo y > lib/y`).status).toBe(0)
    for (const name of ['settings.json', 'settings.local.json', 'CLAUDE.md', 'hooks/x', 'skills/x', 'agents/x.md'])
      expect(inView(walls, `echo forged > ${home}/${name}`).status, name).not.toBe(0)
    for (const name of ['.mcp.json', 'CLAUDE.md', 'CLAUDE.local.md'])
      expect(inView(walls, `echo forged > ${name}`).status, name).not.toBe(0)
  })

  test.each(kinds)(
    'has a folder for the CLI’s own sockets, by a short path, that no command sees: %s',
    async (kind) => {
      const { place, walls } = await open(kind)
      await walls.openView(['lib'])
      const own = join(walls.runtime, 'cc-socks', '1234567.sock')
      expect(own.length).toBeLessThan(100)
      expect(inView(walls, `mkdir -m 700 ${dirname(own)} && echo inbox > ${own}`).status).toBe(0)
      expect(inCommands(walls, `cat ${own}`, place.config.workspaceDir).status).not.toBe(0)
    },
  )

  test.each(kinds)('shows the sockets, and none of the wrapper’s state and processes: %s', async (kind) => {
    const { place, walls } = await open(kind)
    await walls.openView(['lib'])
    const wrapper = neighbour(secret)
    onTestFinished(() => wrapper.end())
    expect(
      inView(walls, `cat ${walls.link}/model.sock; cat ${place.witness}; cat /proc/${wrapper.pid}/environ`).said,
    ).toBe(
      `stands for a socket\ncat: ${place.witness}: No such file or directory\ncat: /proc/${wrapper.pid}/environ: No such file or directory`,
    )
  })
})

describe.skipIf(kinds.length === 0)(`what lives on between pods${refusal}`, () => {
  test.each(kinds)('is set aside where an implementer sees it and no reviewer does: %s', async (kind) => {
    for (const [profile, expected] of [
      ['implement', 'left'],
      ['review', 'none'],
    ]) {
      const { place, walls } = await open(kind, profile)
      const { workspaceDir } = place.config
      expect(inCommands(walls, 'mkdir .set-aside && echo left > .set-aside/x', workspaceDir).status).toBe(0)
      await walls.openView(['lib'])
      const look = 'cat .set-aside/x 2>/dev/null || echo none'
      expect([inCommands(walls, look, workspaceDir).said, inView(walls, look).said]).toEqual([expected, expected])
    }
  })

  test.each(kinds)('is a cache that commands see, but never a reviewer’s: %s', async (kind) => {
    for (const [profile, expected] of [
      ['implement', 'kept'],
      ['review', 'none'],
    ]) {
      const place = makePlace('required', profile)
      mkdirSync(join(place.config.home, '.npm'))
      writeFileSync(join(place.config.home, '.npm', 'x'), 'kept')
      const walls = await wallsAt(place, kind)
      onTestFinished(async () => {
        await walls.space.close()
        place.remove()
      })
      const { said } = inCommands(walls, `cat ${place.config.home}/.npm/x 2>/dev/null || echo none`, '/')
      expect(said).toBe(expected)
    }
  })
})

test('where namespaces are required and refused, the wrapper opens no space and says what to do (POD-ENV-18, WRAPPER-SECRETS-3)', async () => {
  const place = makePlace('required')
  onTestFinished(() => place.remove())
  const refused = { ...place, config: { ...place.config, path: '/nowhere' } }
  await expect(wallsAt(refused, 'user')).rejects.toThrow(/AGENT_SECLUSION is required.*decisions/)
  const walls = await wallsAt({ ...refused, config: { ...refused.config, seclusion: 'auto' } }, 'user')
  expect(walls.kind).toBe('none')
  expect(existsSync(place.witness)).toBe(true)
})
