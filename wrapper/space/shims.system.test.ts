import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CommandVariables } from '../boot/command-variables.ts'
import type { Walls } from './open-walls.ts'
import type { Seclusion } from './space.ts'
import { grantedKinds, inCommands, inView, makePlace, runWords, wallsAt, type Place } from './testing/walls.ts'

const kinds: readonly Seclusion[] = [...(await grantedKinds()), 'none']

async function open(
  kind: Seclusion,
  commandVariables: CommandVariables = {},
): Promise<{ readonly place: Place; readonly walls: Walls }> {
  const made = makePlace()
  const place = { ...made, config: { ...made.config, commandVariables } }
  const walls = await wallsAt(place, kind)
  await walls.openView(['lib'])
  onTestFinished(async () => {
    await walls.space.close()
    place.remove()
  })
  return { place, walls }
}

/** As the CLI calls its shell for a command: the snapshot first, the folder that it ended in last. */
function commandLine({ home }: Place['config'], command: string): { readonly text: string; readonly folder: string } {
  const folder = join(home, '.tmp', 'claude-1f2e-cwd')
  const snapshot = join(home, '.claude/shell-snapshots/snapshot-bash-1.sh')
  const text = `source ${snapshot} 2>/dev/null || true && eval ${quoted(command)} < /dev/null && pwd -P >| ${folder}`
  return { text, folder }
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`

function prepare({ home }: Place['config'], snapshot: string): void {
  mkdirSync(join(home, '.claude/shell-snapshots'), { recursive: true })
  mkdirSync(join(home, '.tmp'), { recursive: true })
  writeFileSync(join(home, '.claude/shell-snapshots/snapshot-bash-1.sh'), snapshot)
}

function shell(walls: Walls, place: Place, ...args: string[]): ReturnType<typeof runWords> {
  const env = { ...cliVariables, HOME: place.config.home, PATH: `${walls.link}/bin:/usr/bin:/bin` }
  return runWords(walls.view([join(walls.link, 'bin/bash'), ...args]), env, place.config.workspaceDir)
}

/** What the CLI's environment holds that no command may see. */
const cliVariables = {
  ANTHROPIC_API_KEY: 'ssh-placeholder',
  ANTHROPIC_UNIX_SOCKET: '/dev/shm/statewright/model.sock',
  CLAUDE_CODE_MESSAGING_SOCKET: '/x/cc-socks/1.sock',
  CLAUDE_CODE_MESSAGING_TOKEN: 'a-canary-of-the-cli',
  CLAUDECODE: '1',
  LD_PRELOAD: '',
}

describe.each(kinds)('the shell that the CLI calls: %s', (kind) => {
  test('hands the snapshot in, and the last folder and the exit code out', async () => {
    const { place, walls } = await open(kind)
    prepare(place.config, 'greet() { echo "hello $1"; }\n')
    const { text, folder } = commandLine(place.config, "greet 'a b'; cd lib; pwd")
    expect(shell(walls, place, '-c', text)).toEqual({
      status: 0,
      said: `hello a b\n${join(place.config.workspaceDir, 'lib')}`,
    })
    expect(readFileSync(folder, 'utf8').trim()).toBe(join(place.config.workspaceDir, 'lib'))
    expect(shell(walls, place, '-c', commandLine(place.config, 'exit 9').text).status).toBe(9)
  })

  test('keeps quotes, newlines and odd characters of a command as they are', async () => {
    const { place, walls } = await open(kind)
    prepare(place.config, '')
    const odd = 'printf "%s\\n" "a  b" \'$HOME\' "é`echo x`" "tab\there"\nprintf "%s" "&& pwd -P >| /tmp/trap"'
    expect(shell(walls, place, '-c', commandLine(place.config, odd).text).said).toBe(
      'a  b\n$HOME\néx\ntab\there\n&& pwd -P >| /tmp/trap',
    )
  })

  test('gives a command no variable of the CLI that leads to it', async () => {
    const { place, walls } = await open(kind)
    prepare(place.config, '')
    const { said } = shell(walls, place, '-c', commandLine(place.config, 'env').text)
    expect(said).toContain('CLAUDECODE=1')
    expect(said).not.toMatch(/canary|ssh-placeholder|SOCKET|ANTHROPIC/)
    expect(shell(walls, place, '-c', 'env').said).not.toMatch(/canary|ssh-placeholder|SOCKET|ANTHROPIC/)
  })

  test('gives a command the Project’s variables, and keeps them from the CLI and from process lists (POD-ENV-19)', async () => {
    const { place, walls } = await open(kind, { CI_TOKEN: "it's a $(witness)" })
    prepare(place.config, '')
    const run = (command: string): string => shell(walls, place, '-c', commandLine(place.config, command).text).said
    expect(run('echo "$CI_TOKEN"; (command -v git; env) | grep -c CI_TOKEN')).toContain("it's a $(witness)\n1")
    expect(run('cat /proc/[0-9]*/cmdline | tr "\\0" " " | grep -c "witnes[s]" || true')).toContain('0')
    expect(shell(walls, place, '-c', 'env').said).not.toContain('CI_TOKEN')
    expect(runWords(walls.view([join(walls.link, 'bin/inside'), '', 'printenv', 'CI_TOKEN'])).said).toContain(
      '(witness)',
    )
  })

  test('makes the snapshot where the CLI looks for it, without the CLI’s own PATH', async () => {
    const { place, walls } = await open(kind)
    prepare(place.config, '')
    const file = join(place.config.home, '.claude/shell-snapshots/snapshot-bash-2.sh')
    const script = `SNAPSHOT_FILE=${file}\n echo "# Snapshot file" >| "$SNAPSHOT_FILE"\n echo 'export PATH=${walls.link}/bin:/usr/bin' >> "$SNAPSHOT_FILE"\n`
    expect(shell(walls, place, '-c', '-l', script).status).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe('# Snapshot file\nexport PATH=/usr/bin\n')
  })

  test('lets a server live on in the background and does not wait for it', async () => {
    const { place, walls } = await open(kind)
    prepare(place.config, '')
    const started = '(while sleep 0.02; do echo beat >> lib/beats; done >/dev/null 2>&1 &) ; echo started'
    expect(shell(walls, place, '-c', commandLine(place.config, started).text).said).toBe('started')
    const beats = join(place.config.workspaceDir, 'lib/beats')
    await expect
      .poll(() => existsSync(beats) && readFileSync(beats, 'utf8').length > 20, { timeout: 10_000 })
      .toBe(true)
    if (kind === 'none') shell(walls, place, '-c', 'pkill -f lib/beats')
  })
})

describe.each(kinds.filter((kind) => kind !== 'none'))('what a command plants for the shell: %s', (kind) => {
  test('a link in place of the folder’s file reaches nothing of the CLI', async () => {
    const { place, walls } = await open(kind)
    const { home } = place.config
    prepare(place.config, '')
    const { text, folder } = commandLine(
      place.config,
      `mkdir -p ${home}/.tmp; ln -sf ${home}/.claude/settings.json ${home}/.tmp/claude-1f2e-cwd`,
    )
    shell(walls, place, '-c', text)
    expect(readFileSync(join(home, '.claude/settings.json'), 'utf8')).toBe('{}\n')
    expect(readFileSync(folder, 'utf8')).not.toContain('{}')
  })

  test('a changed snapshot inside does not come back with the next command', async () => {
    const { place, walls } = await open(kind)
    prepare(place.config, 'verdict() { echo honest; }\n')
    const snapshot = join(place.config.home, '.claude/shell-snapshots/snapshot-bash-1.sh')
    const forge = `mkdir -p ${dirname(snapshot)}; echo 'verdict() { echo forged; }' > ${snapshot}; echo 'echo forged' > ~/.bashrc`
    shell(walls, place, '-c', commandLine(place.config, forge).text)
    expect(shell(walls, place, '-c', commandLine(place.config, 'verdict').text).said).toBe('honest')
  })
})

describe.each(kinds)('git and servers that the CLI starts: %s', (kind) => {
  test('run where commands run', async () => {
    const { place, walls } = await open(kind)
    expect(
      inCommands(
        walls,
        "git init -q . && git config alias.where '!cat ~/.claude/settings.json'",
        join(place.config.workspaceDir, 'lib'),
      ).status,
    ).toBe(0)
    const env = { HOME: place.config.home, TOKEN: 'for the server', CANARY: 'a-canary-of-the-cli' }
    const git = inView(walls, `cd ${place.config.workspaceDir}/lib && ${walls.link}/bin/git where`, env)
    expect(git.said.includes('{}')).toBe(kind === 'none')
    const server = inView(walls, `${walls.link}/bin/inside "TOKEN" /bin/sh -c 'echo "$TOKEN" "$CANARY"; pwd' x`, env)
    expect(server.said).toBe(`for the server\n${place.config.workspaceDir}`.replace('server\n', 'server \n'))
  })
})
