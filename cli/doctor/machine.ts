/** Checks of this machine, for pods of `statewright up`. */
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { detectIsolation } from '../../edges/local/isolation.ts'
import { installedCli, programDir } from '../program.ts'
import { check, type Check } from './check.ts'

/** `path`: as PATH has it. Programs are looked for, and not started. */
export function checkMachine(path: string): readonly Check[] {
  const installed = installedCli(programDir)
  const cli = existsSync(installed) ? installed : findOn(path, 'claude')
  return [
    isolationCheck(),
    foundCheck(cli, 'agent-cli', 'npm install, or put claude on PATH'),
    foundCheck(findOn(path, 'git'), 'git', 'install git'),
  ]
}

/** With the very script that pods of one machine use. */
function isolationCheck(): Check {
  const root = mkdtempSync(join(tmpdir(), 'statewright-doctor-'))
  const state = join(root, 'state')
  const [pod, workspace, home] = [join(state, 'pod'), join(state, 'workspace'), join(root, 'home')] as const
  try {
    for (const folder of [pod, workspace, home]) mkdirSync(folder, { recursive: true })
    const paths = { pod, workspace, program: programDir, state, home }
    if (detectIsolation(paths) === 'namespaces')
      return check('isolation', 'ok', 'this machine grants mount and pid namespaces to pods')
    const next =
      'run as a superuser, or let users make namespaces: user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns=0'
    return check('isolation', 'failed', 'this machine refuses mount and pid namespaces to pods', next)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function foundCheck(found: string | undefined, id: string, next: string): Check {
  return found === undefined ? check(id, 'failed', 'there is none on PATH', next) : check(id, 'ok', found)
}

function findOn(path: string, name: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
