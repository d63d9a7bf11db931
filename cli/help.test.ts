import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { said } from './commands/testing/fixture.ts'
import { main, run } from './main.ts'

const { out: overview } = await said(() => main(['--help']))
const names = [...overview.matchAll(/^ {2}(\S+) {2,}\S/gm)].map(([, name = '']) => name)

afterEach(() => vi.restoreAllMocks())

test('statewright --help names every command', () => {
  expect(names).toEqual(expect.arrayContaining(['up', 'demo', 'orchestrator', 'memory', 'wrapper']))
})

test.each(names)('statewright %s --help prints a usage and runs nothing', async (name) => {
  // `wrapper` ends its process itself.
  vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
  const { out } = await said(() => run([name, '--help']))
  expect(out).toMatch(new RegExp(`^usage: statewright ${name}( |\\n)`))
})

test('a mistyped command names the one that was meant, and an unknown one is said in two lines', async () => {
  const { err } = await said(async () => expect(await run(['cancle'])).toBe(2))
  expect(err).toBe('there is no command cancle; did you mean cancel?\nstatewright --help lists all commands')
  const unknown = 'there is no command zzz\nstatewright --help lists all commands'
  expect((await said(() => run(['zzz']))).err).toBe(unknown)
})

test('a file that is not there is named in words', async () => {
  const { err } = await said(async () => expect(await run(['apply', '-f', '/nothing/here.yaml'])).toBe(1))
  expect(err).toBe('statewright: /nothing/here.yaml: there is no such file')
})

test('statewright help COMMAND prints the usage of that command', async () => {
  expect((await said(() => run(['help', 'why']))).out).toMatch(/^usage: statewright why /)
})

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8')

/** Files of commands that the overview loads by none of its lines. */
function notLoaded(files: readonly string[], program: string): readonly string[] {
  return files.filter((file) => !program.includes(`import('./commands/${file}')`))
}

test('every file of cli/commands is a command that statewright --help names', () => {
  const files = globSync('*/*.ts', { cwd: join(import.meta.dirname, 'commands') }).filter(
    (file) => !/\.test\.ts$|^testing\//.test(file),
  )
  expect(files.length).toBeGreaterThan(30)
  expect(notLoaded(files, read('main.ts'))).toEqual([])
  expect(notLoaded(['programs/up.ts', 'programs/upwards.ts'], read('main.ts'))).toEqual(['programs/upwards.ts'])
})

/** Commands without a row in the table; a row may have several. */
function withoutRow(commands: readonly string[], page: string): readonly string[] {
  const rows = [...page.matchAll(/^\| (`[^|]*(?:\\\|[^|]*)*)\|/gm)].map(([, cell = '']) => cell)
  return commands.filter((name) => !rows.some((cell) => new RegExp(`\`${name}[ \`]`).test(cell)))
}

test('docs/commands.md has a row for every command', () => {
  expect(withoutRow(names, read('../docs/commands.md'))).toEqual([])
  expect(withoutRow(['up', 'down', 'login'], '| `up --dir DIR` | x |\n| `query TEXT`, `login` | y |')).toEqual(['down'])
})

test('a command that is called without arguments prints its usage, and the name of the program once', async () => {
  const { err } = await said(() => run(['get']))
  expect(err).toMatch(/^usage: statewright get KIND/)
})
