/**
 * Law B1 and B2: what an agent writes into its clone starts no program beside the wrapper, and nothing at all in a later
 * pod. Each attack is judged by one predicate, with the wall and, as its negative control, without: git run beside the
 * wrapper, on the clone.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPlainSpace, type CommandSpace } from '../space/space.ts'
import { startGateway, type TestGateway } from '../testing/gateway.ts'
import { makeOrigin, runGit } from '../testing/pod.ts'
import { openWorkspace, type WorkspaceFixture } from '../testing/workspace.ts'
import { publishAll } from './outside/publish.ts'

const branch = 'platform/task-1'
const token = 'pod-token-canary-5812'

/** A space without walls that remembers what it started. */
class MarkedSpace implements CommandSpace {
  readonly kind = 'none'
  readonly pids = new Set<number>()
  readonly #plain = openPlainSpace()

  wrap(command: readonly string[]): readonly string[] {
    return command
  }

  spawn(...call: Parameters<CommandSpace['spawn']>): ReturnType<CommandSpace['spawn']> {
    const child = this.#plain.spawn(...call)
    if (child.pid !== undefined) this.pids.add(child.pid)
    return child
  }

  async close(): Promise<void> {}
}

interface Attack {
  readonly name: string
  readonly plant: (fixture: Fixture) => void
  /** What the wrapper's own git did on the clone, or would have done. */
  readonly control: readonly string[]
}

interface Fixture {
  readonly dir: string
  readonly clone: string
  readonly canary: string
  readonly config: (key: string, value: string) => void
  readonly attributes: (text: string) => void
  readonly url: string
}

/** A bare repository whose hooks would run beside whoever pushes there. */
function withHooks({ dir, canary }: Fixture): string {
  const path = join(dir, 'trap.git')
  if (!existsSync(path)) runGit(dir, 'init', '--quiet', '--bare', path)
  for (const hook of ['pre-receive', 'update', 'post-receive'])
    writeFileSync(join(path, 'hooks', hook), `#!/bin/sh\n${canary} </dev/null >/dev/null\n`, { mode: 0o755 })
  return path
}

/** Two sides of one file, so that a merge asks the driver. */
function fork({ clone }: Fixture): void {
  runGit(clone, 'checkout', '-q', '-B', 'side')
  writeFileSync(join(clone, 'README.md'), 'side\n')
  runGit(clone, '-c', 'core.attributesFile=/dev/null', 'commit', '-qam', 'side')
  runGit(clone, 'checkout', '-q', branch)
  writeFileSync(join(clone, 'README.md'), 'ours\n')
  runGit(clone, 'commit', '-qam', 'ours')
}

/** GIT_ASKPASS would win. */
const ownPrompt = 'a program that asks for the password'

function attack(name: string, control: readonly string[], plant: (fixture: Fixture) => void): Attack {
  return { name, plant, control }
}

const attacks: readonly Attack[] = [
  attack(
    'a clean filter by .git/info/attributes',
    ['add', '--all'],
    ({ config, attributes, canary }) => (config('filter.x.clean', canary), attributes('* filter=x')),
  ),
  attack('a smudge filter by .gitattributes', ['checkout-index', '--force', '--all'], ({ config, clone, canary }) => {
    writeFileSync(join(clone, '.gitattributes'), '* filter=x\n')
    config('filter.x.smudge', canary)
  }),
  attack(
    'a filter process',
    ['add', '--all'],
    ({ config, attributes, canary }) => (config('filter.x.process', canary), attributes('* filter=x')),
  ),
  attack(
    'a filter by core.attributesFile and an included configuration',
    ['add', '--all'],
    ({ dir, config, canary }) => {
      writeFileSync(
        join(dir, 'more'),
        `[filter "x"]\n\tclean = ${canary}\n[core]\n\tattributesFile = ${dir}/attributes\n`,
      )
      writeFileSync(join(dir, 'attributes'), '* filter=x\n')
      config('include.path', join(dir, 'more'))
    },
  ),
  attack(
    'a filter in the configuration of the work tree',
    ['add', '--all'],
    ({ config, attributes, clone, canary }) => {
      config('extensions.worktreeConfig', 'true')
      writeFileSync(join(clone, '.git', 'config.worktree'), `[filter "x"]\n\tclean = ${canary}\n`)
      attributes('* filter=x')
    },
  ),
  attack('a merge driver', ['merge', 'side'], (fixture) => {
    fork(fixture)
    fixture.config('merge.x.driver', `${fixture.canary} %A`)
    fixture.attributes('* merge=x')
  }),
  attack(
    'a diff driver',
    ['diff'],
    ({ config, attributes, canary }) => (config('diff.x.command', canary), attributes('* diff=x')),
  ),
  attack(
    'a text conversion',
    ['diff'],
    ({ config, attributes, canary }) => (config('diff.x.textconv', canary), attributes('* diff=x')),
  ),
  attack('a file system monitor', ['status'], ({ config, canary }) => config('core.fsmonitor', canary)),
  attack('hooks in .git/hooks', ['commit', '--quiet', '--allow-empty', '-m', 'x'], ({ clone, canary }) => {
    for (const hook of [
      'pre-commit',
      'post-commit',
      'post-checkout',
      'pre-push',
      'reference-transaction',
      'post-index-change',
    ])
      writeFileSync(join(clone, '.git', 'hooks', hook), `#!/bin/sh\n${canary} </dev/null >/dev/null\n`, {
        mode: 0o755,
      })
  }),
  attack(
    'a program that signs',
    ['commit', '--quiet', '--allow-empty', '-m', 'x'],
    ({ config, canary }) => (config('commit.gpgSign', 'true'), config('gpg.program', canary)),
  ),
  attack(
    'another address for the gateway, with hooks behind it',
    ['push', '--quiet', 'URL', `HEAD:refs/heads/x`],
    (fixture) => fixture.config(`url.${withHooks(fixture)}.insteadOf`, fixture.url),
  ),
  attack('another address for pushes only', ['push', '--quiet', 'URL', `HEAD:refs/heads/x`], (fixture) =>
    fixture.config(`url.${withHooks(fixture)}.pushInsteadOf`, fixture.url),
  ),
  attack('a credential helper', ['push', '--quiet', 'URL', `HEAD:refs/heads/x`], ({ config, canary }) =>
    config('credential.helper', `!${canary} </dev/null;:`),
  ),
  attack(ownPrompt, ['push', '--quiet', 'URL', `HEAD:refs/heads/x`], ({ config, canary }) =>
    config('core.askPass', canary),
  ),
  attack('a shell for ssh addresses', ['fetch', 'URL'], ({ config, canary, url }) => {
    config('core.sshCommand', canary)
    config('url.ssh://host.invalid/.insteadOf', url)
  }),
  attack('an upload-pack of its own', ['fetch', 'origin'], (fixture) => {
    fixture.config('remote.origin.url', withHooks(fixture))
    fixture.config('remote.origin.uploadpack', fixture.canary)
  }),
  attack(
    'a .git that is a file and points elsewhere',
    ['add', '--all'],
    ({ dir, clone, config, attributes, canary }) => {
      config('filter.x.clean', canary)
      attributes('* filter=x')
      renameSync(join(clone, '.git'), join(dir, 'elsewhere'))
      writeFileSync(join(clone, '.git'), `gitdir: ${join(dir, 'elsewhere')}\n`)
    },
  ),
  attack('a common folder elsewhere', ['add', '--all'], ({ dir, clone, config, attributes, canary }) => {
    config('filter.x.clean', canary)
    attributes('* filter=x')
    const common = join(dir, 'common')
    mkdirSync(common)
    for (const name of ['config', 'info', 'objects', 'refs']) renameSync(join(clone, '.git', name), join(common, name))
    writeFileSync(join(clone, '.git', 'commondir'), `${common}\n`)
  }),
]

describe('a clone that an agent prepared', () => {
  let dir: string
  let space: MarkedSpace
  let gateway: TestGateway
  let workspace: WorkspaceFixture
  let fixture: Fixture

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'hostile-'))
    const origin = makeOrigin(dir)
    runGit(origin, 'config', 'http.receivepack', 'true')
    gateway = await startGateway(dir, token)
    space = new MarkedSpace()
    const url = `${gateway.url}/git/lib.git`
    workspace = openWorkspace({ dir, url, branch, space, credential: credential() })
    const { clone } = workspace
    const canary = join(dir, 'canary')
    writeFileSync(canary, program(), { mode: 0o755 })
    fixture = {
      dir,
      clone,
      canary,
      url,
      config: (key, value) => void runGit(clone, 'config', key, value),
      attributes: (text) => writeFileSync(join(clone, '.git', 'info', 'attributes'), `${text}\n`),
    }
  })
  afterEach(async () => {
    workspace.inside.close()
    await gateway.close()
    rmSync(dir, { recursive: true, force: true })
  })

  /** As the wrapper's: it answers git's prompt, and what it is reached by stands in the environment of one child. */
  function credential(): { program: string; url: string } {
    const answers = join(dir, 'askpass')
    writeFileSync(answers, `#!/bin/sh\ncase "$1" in Username*) echo x-pod ;; *) echo ${token} ;; esac\n`, {
      mode: 0o755,
    })
    return { program: answers, url: 'http://127.0.0.1:9/credential' }
  }

  /** Notes who runs it: the processes above it, and whether the credential is in reach. Else it changes nothing. */
  function program(): string {
    return `#!/bin/sh
line="\${STATEWRIGHT_CREDENTIAL_URL:+credential}"
p=$$
while [ "$p" -gt 1 ]; do
  line="$line $p"
  while read -r key value; do [ "$key" = PPid: ] && p=$value; done < /proc/$p/status
done
echo "$line" >> ${join(dir, 'ran')}
exec cat "$@"
`
  }

  const runs = (): readonly string[] =>
    existsSync(join(dir, 'ran')) ? readFileSync(join(dir, 'ran'), 'utf8').trim().split('\n') : []
  /** The predicate: runs of the agent's program that no process of the space started, or beside the credential. */
  const escapes = (): readonly string[] =>
    runs().filter((line) => {
      const words = line.split(' ')
      return words.includes('credential') || !words.some((pid) => space.pids.has(Number(pid)))
    })

  /**
   * The wall taken down: git beside the wrapper, with the pod's credential, on the files of the agent. Not synchronously:
   * the gateway lives in this process.
   */
  async function besideTheWrapper(args: readonly string[], asks = true): Promise<void> {
    const { program: askpass, url } = credential()
    const person = {
      GIT_AUTHOR_NAME: 'x',
      GIT_AUTHOR_EMAIL: 'x@x',
      GIT_COMMITTER_NAME: 'x',
      GIT_COMMITTER_EMAIL: 'x@x',
    }
    const git = openPlainSpace().spawn(['git', ...args.map((arg) => (arg === 'URL' ? fixture.url : arg))], {
      cwd: fixture.clone,
      env: {
        PATH: process.env['PATH']!,
        HOME: dir,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
        STATEWRIGHT_CREDENTIAL_URL: url,
        ...(asks ? { GIT_ASKPASS: askpass } : {}),
        ...person,
      },
      stdio: 'ignore',
      network: true,
    })
    await new Promise((resolve) => git.on('close', resolve))
  }

  test.each(attacks)(
    'starts nothing beside the wrapper by $name',
    { timeout: 60_000 },
    async ({ name, plant, control }) => {
      const { bare } = await workspace.boot()
      plant(fixture)
      appendFileSync(join(fixture.clone, 'README.md'), 'work of the agent\n')
      await publishAll(workspace, [bare], new Map(), 'turn')
      appendFileSync(join(fixture.clone, 'README.md'), 'more of it\n')
      const before = runs()
      await workspace.boot({ isReview: true })
      expect(escapes()).toEqual([])
      // Law B2: in the next pod it is not run at all.
      expect(runs()).toEqual(before)
      expect(runGit(fixture.clone, 'config', '--local', '--list')).not.toContain(dir)
      rmSync(join(dir, 'elsewhere'), { recursive: true, force: true })
      rmSync(join(dir, 'common'), { recursive: true, force: true })
      plant(fixture)
      appendFileSync(join(fixture.clone, 'README.md'), 'a change\n')
      await besideTheWrapper(control, name !== ownPrompt)
      expect(escapes()).not.toEqual([])
    },
  )

  test('gets no token by a proxy for the address of the gateway', async () => {
    const heard: (string | undefined)[] = []
    const proxy: Server = createServer((request, response) => {
      heard.push(request.headers.authorization)
      response.writeHead(request.headers.authorization ? 502 : 401, { 'www-authenticate': 'Basic realm="git"' }).end()
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    try {
      const { bare } = await workspace.boot()
      const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
      const plant = (): void => fixture.config(`http.${fixture.url}.proxy`, address)
      plant()
      appendFileSync(join(fixture.clone, 'README.md'), 'work\n')
      expect((await publishAll(workspace, [bare], new Map(), 'turn')).pushed).toEqual(['lib'])
      await workspace.boot()
      expect(heard).toEqual([])
      plant()
      await besideTheWrapper(['push', '--quiet', 'URL', 'HEAD:refs/heads/x'])
      expect(heard.join()).toContain('Basic ')
    } finally {
      await new Promise((resolve) => proxy.close(resolve))
    }
  })

  test('publishes what its commits are, whatever replaces them', async () => {
    const { bare } = await workspace.boot()
    writeFileSync(join(fixture.clone, 'real.txt'), 'real\n')
    runGit(fixture.clone, 'add', '-A')
    runGit(fixture.clone, 'commit', '-qm', 'real')
    const real = runGit(fixture.clone, 'rev-parse', 'HEAD')
    runGit(fixture.clone, 'replace', real, 'HEAD~1')
    await publishAll(workspace, [bare], new Map(), 'turn')
    const origin = join(dir, 'lib.git')
    expect(runGit(origin, 'rev-parse', branch)).toBe(real)
    expect(runGit(origin, 'ls-tree', '--name-only', branch)).toContain('real.txt')
    expect(runGit(fixture.clone, 'ls-tree', '--name-only', 'HEAD')).not.toContain('real.txt')
  })
})
