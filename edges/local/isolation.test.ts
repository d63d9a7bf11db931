import { spawn, spawnSync } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { detectIsolation, isolated, type IsolatedPaths } from './isolation.ts'
import { removeFolder } from './pod-folder.ts'
import { childrenOf, familyOf, identify, isAlive, signal } from './processes.ts'
import { machineFolders, withFolder } from './testing/fixture.ts'
import { testInside } from '../../testing/inside.ts'

const path = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }

function offered(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'statewright-local-')))
  try {
    return detectIsolation(machineFolders(root))
  } finally {
    removeFolder(root)
  }
}

const reason = 'this machine refuses mount and process namespaces (unshare)'
const refused = offered() === 'none'

/** What a script inside saw, said and ended with. */
function inside(paths: IsolatedPaths, script: string): { readonly status: number | null; readonly said: string } {
  const { file, args, env } = isolated(paths, ['/bin/sh', '-c', script])
  const { status, stdout, stderr } = spawnSync(file, args, { env: { ...path, ...env }, encoding: 'utf8' })
  return { status, said: `${stdout}${stderr}`.trim() }
}

/** Something to find in every folder. */
function filled(paths: IsolatedPaths): IsolatedPaths {
  const files = {
    [join(paths.home, 'id_ed25519')]: 'a key',
    [join(paths.state, 'signing-key')]: 'a key',
    [join(paths.state, 'pods', 'default_other_1', 'pod-token')]: 'a token of another pod',
    [join(paths.program, 'main')]: 'the program',
    [join(paths.pod, 'pod-token')]: 'its own token',
  }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return paths
}

function isWritable(place: string): boolean {
  try {
    accessSync(place, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function secretive(root: string): IsolatedPaths {
  return filled(machineFolders(root))
}

const it = testInside(withFolder)

describe.skipIf(refused)(`a pod in namespaces of its own${refused ? ` (skipped: ${reason})` : ''}`, () => {
  it('sees neither the home of the user nor the state of the platform, but its own folder and workspace (DEPLOYMENT-8)', async (root) => {
    const paths = secretive(root)
    const { status, said } = inside(paths, `cd / && find ${root} -type f | sort`)
    expect({ status, said }).toEqual({
      status: 0,
      said: [join(paths.program, 'main'), join(paths.pod, 'pod-token')].join('\n'),
    })
  })

  it('has a /tmp of its own: what others keep there under its uid is not in its way, and it leaves nothing there', async (others) => {
    await withFolder(async (root) => {
      const left = `/tmp/left-by-${basename(root)}`
      const { status, said } = inside(secretive(root), `test -e ${others} && echo seen; touch ${left} && echo wrote`)
      expect({ status, said }).toEqual({ status: 0, said: 'wrote' })
      expect(existsSync(left)).toBe(false)
    })
  })

  it('shares no folder in which every user may write: it finds nothing there, and leaves nothing', async (root) => {
    const paths = secretive(root)
    const name = `of-${basename(root)}`
    const places = ['/var/tmp', '/dev/shm', '/run/lock'].filter(isWritable)
    expect(places).toContain('/var/tmp')
    for (const place of places) writeFileSync(join(place, name), 'of the host')
    onTestFinished(() => {
      for (const place of places) for (const end of ['', '-inside']) rmSync(join(place, name + end), { force: true })
    })
    const look = places.map((place) => `cat ${place}/${name}; touch ${place}/${name}-inside && echo wrote`)
    const { said } = inside(paths, look.join('; '))
    expect(said).not.toContain('of the host')
    expect(said.split('\n').filter((line) => line === 'wrote')).toHaveLength(places.length)
    for (const place of places) expect(existsSync(join(place, `${name}-inside`))).toBe(false)
  })

  it('has a file system of its own at each folder of the machine in which every user may write', async (root) => {
    const find = 'find / -xdev -maxdepth 3 -type d -perm -0002 -not -path "/tmp/*" 2>/dev/null; ls -d /dev/shm'
    const open = spawnSync('/bin/sh', ['-c', find], { encoding: 'utf8' }).stdout.trim().split('\n')
    expect(open).toEqual(expect.arrayContaining(['/tmp', '/var/tmp', '/dev/shm']))
    const devices = `stat -c "%d %n" ${open.join(' ')}`
    const outside = spawnSync('/bin/sh', ['-c', devices], { encoding: 'utf8' }).stdout.trim().split('\n')
    const shared = inside(secretive(root), devices).said.split('\n')
    expect(shared.filter((line) => outside.includes(line))).toEqual([])
  })

  it('shares no System V memory and no message queue', async (root) => {
    const paths = secretive(root)
    const own = 'ls -l /proc/self/ns/ipc | sed "s/.*-> //"'
    const { stdout } = spawnSync('/bin/sh', ['-c', own], { encoding: 'utf8' })
    expect(inside(paths, own).said).toMatch(/^ipc:\[\d+\]$/)
    expect(inside(paths, own).said).not.toBe(stdout.trim())
    const made = spawnSync('ipcmk', ['--shmem', '64'], { encoding: 'utf8' }).stdout
    const id = /(\d+)\s*$/.exec(made)?.[1] ?? ''
    onTestFinished(() => void spawnSync('ipcrm', ['--shmem-id', id]))
    expect(spawnSync('ipcs', ['--shmems'], { encoding: 'utf8' }).stdout).toContain(id)
    expect(inside(paths, 'ipcs --shmems --queues --semaphores | grep -c ^0x').said).toBe('0')
  })

  it('holds no descriptor that leads around what is covered', async (root) => {
    const { said } = inside(secretive(root), 'for fd in /proc/$$/fd/*; do readlink $fd; done')
    expect(said.split('\n').filter((file) => file.startsWith(root))).toEqual([])
  })

  // An empty folder is mounted there first, which would hide this checkout below it.
  const places = ['/mnt', '/tmp', '/var/tmp', '/dev/shm'].filter(
    (place) => !import.meta.dirname.startsWith(`${place}/`),
  )

  it.for(places)('lies where it likes, below %s too', async (place, root) => {
    const program = `
      import { mkdirSync, writeFileSync } from 'node:fs'
      import { spawnSync } from 'node:child_process'
      import { isolated, detectIsolation } from ${JSON.stringify(new URL('./isolation.ts', import.meta.url).href)}
      const root = '${place}/machine'
      const paths = { home: root + '/home', program: root + '/home/program', state: root + '/state',
        pod: root + '/state/pods/p', workspace: root + '/state/workspaces/t' }
      for (const [name, folder] of Object.entries(paths)) {
        mkdirSync(folder, { recursive: true })
        writeFileSync(folder + '/' + name, name)
      }
      const { file, args, env } = isolated(paths, ['/bin/sh', '-c', 'find ' + root + ' -type f | sort | tr "\\n" " "'])
      const { stdout, stderr } = spawnSync(file, args, { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' })
      console.log(detectIsolation(paths), stdout, stderr)`
    const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
    const empty = `mount -n -t tmpfs tmpfs ${place} && exec "$@"`
    const args = [...user, '--mount', '--', '/bin/sh', '-c', empty, 'sh', process.execPath, '--input-type=module']
    const { stdout, stderr } = spawnSync('unshare', [...args, '-e', program], {
      encoding: 'utf8',
      env: path,
      cwd: root,
    })
    const found = ['home/program/program', 'state/pods/p/pod', 'state/workspaces/t/workspace']
    expect(`${stdout}${stderr}`.trim()).toBe(`namespaces ${found.map((file) => `${place}/machine/${file}`).join(' ')}`)
  })

  it('cannot take the cover away, nor by being root in a namespace that it makes itself', async (root) => {
    const paths = secretive(root)
    const attempts = [
      `umount ${paths.home}`,
      `umount -l ${paths.state}`,
      `unshare --user --map-root-user --mount umount ${paths.home}`,
      `unshare --mount umount ${paths.home}`,
      `nsenter --target 1 --mount cat ${paths.home}/id_ed25519`,
    ]
    const { said } = inside(paths, `${attempts.join('; ')}; find ${paths.home} ${paths.state} -type f`)
    expect(said).not.toContain('id_ed25519\n')
    expect(said).not.toContain('signing-key')
    expect(said).toContain(join(paths.pod, 'pod-token'))
    expect(inside(paths, 'grep -E "^Cap(Prm|Eff|Bnd)" /proc/self/status').said.replaceAll(/\s+/g, ' ')).toBe(
      'CapPrm: 0000000000000000 CapEff: 0000000000000000 CapBnd: 0000000000000000',
    )
  })

  it('may make namespaces of its own, as the wrapper does for its agent', async (root) => {
    const own = 'unshare --user --map-current-user --keep-caps --mount --pid --fork --mount-proc --'
    const { status, said } = inside(secretive(root), `${own} /bin/sh -c 'id -u; ls -d /proc/[0-9]* | wc -l'`)
    expect(status).toBe(0)
    expect(said.split('\n').map(Number)).toEqual([1000, expect.toSatisfy((processes: number) => processes < 4)])
  })

  it('works in its workspace, and what it wrote stays', async (root) => {
    const paths = secretive(root)
    const { status, said } = inside(paths, `pwd; echo work > ${paths.workspace}/file`)
    expect({ status, said }).toEqual({ status: 0, said: paths.pod })
    expect(readFileSync(join(paths.workspace, 'file'), 'utf8')).toBe('work\n')
  })

  it('runs the program and cannot change it', async (root) => {
    const paths = secretive(root)
    const { said } = inside(
      paths,
      `cat ${paths.program}/main; mount -o remount,bind,rw ${paths.program}; echo x > ${paths.program}/main; rm ${paths.program}/main`,
    )
    expect(said).toContain('the program')
    expect(said).toContain('Read-only file system')
    expect(readFileSync(join(paths.program, 'main'), 'utf8')).toBe('the program')
  })

  it('finds the program also where it lies below the covered home, and the state below the program', async (root) => {
    const program = join(root, 'home', 'program')
    const state = join(program, '.statewright', 'state')
    const paths = {
      home: join(root, 'home'),
      program,
      state,
      pod: join(state, 'pods', 'p'),
      workspace: join(state, 'workspaces', 't'),
    }
    for (const folder of Object.values(paths)) mkdirSync(folder, { recursive: true })
    const { said, status } = inside(filled(paths), `cat ${program}/main && find ${root}/home -type f | sort`)
    expect({ status, said }).toEqual({
      status: 0,
      said: `the program${[join(paths.pod, 'pod-token'), join(program, 'main')].toSorted().join('\n')}`,
    })
  })

  it('sees its own processes only, and knows nothing of how it was made', async (root) => {
    const { said } = inside(secretive(root), 'ls -d /proc/[0-9]* | wc -l; env | grep ^SW_; echo $PPID')
    const [processes, parent] = said.split('\n')
    expect(Number(processes)).toBeLessThan(6)
    expect(parent).toBe('1')
  })

  it('keeps no zombie of a process whose parent ended, although its program reaps only its own children', async (root) => {
    const program = `
      const { spawnSync } = require('node:child_process')
      const { readFileSync, readdirSync } = require('node:fs')
      const isZombie = (pid) => readFileSync('/proc/' + pid + '/stat', 'utf8').includes(') Z ')
      spawnSync('/bin/sh', ['-c', 'sleep 0.1 >/dev/null 2>&1 &'])
      setTimeout(() => console.log(readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).filter(isZombie).length), 1000)`
    // Node is part of the program: a checkout may lie in a folder that the pod has anew, such as /tmp.
    const paths = { ...secretive(root), program: dirname(process.execPath) }
    const { status, said } = inside(paths, `exec ${process.execPath} -e "${program}"`)
    expect([status, said]).toEqual([0, '0'])
  })

  it('passes SIGTERM of its platform on to its program, and ends with the exit code of that', async (root) => {
    const paths = secretive(root)
    const { file, args, env } = isolated(paths, [
      '/bin/sh',
      '-c',
      `trap 'exit 5' TERM; echo up > ${paths.workspace}/up; while :; do sleep 0.1; done`,
    ])
    const keeper = spawn(file, args, { env: { ...path, ...env }, stdio: 'ignore' })
    const ended = new Promise((resolve) => keeper.on('exit', resolve))
    onTestFinished(() => void keeper.kill('SIGKILL'))
    await vi.waitFor(() => expect(existsSync(join(paths.workspace, 'up'))).toBe(true), { timeout: 10_000 })
    const [first] = childrenOf(identify(keeper.pid ?? 0)!)
    expect(signal(first!, 'SIGTERM')).toBe(true)
    expect(await ended).toBe(5)
  })

  it('ends with its exit code, and with everything in it when its keeper is killed', async (root) => {
    const paths = secretive(root)
    expect(inside(paths, 'exit 7').status).toBe(7)
    const { file, args, env } = isolated(paths, ['/bin/sh', '-c', `sleep 300 & echo up > ${paths.workspace}/up; wait`])
    const keeper = spawn(file, args, { env: { ...path, ...env }, stdio: 'ignore' })
    onTestFinished(() => void keeper.kill('SIGKILL'))
    await vi.waitFor(() => expect(existsSync(join(paths.workspace, 'up'))).toBe(true), { timeout: 10_000 })
    const identity = identify(keeper.pid ?? 0)
    if (identity === undefined) throw new Error('the keeper is gone')
    const family = familyOf(identity)
    expect(family.length).toBeGreaterThanOrEqual(3)
    expect(signal(identity, 'SIGKILL')).toBe(true)
    await vi.waitFor(() => expect(family.filter(isAlive)).toEqual([]), { timeout: 10_000 })
  })
})

it('a machine that cannot cover the home says that it isolates nothing', async (root) => {
  expect(detectIsolation({ ...machineFolders(root), home: join(root, 'missing') })).toBe('none')
})
