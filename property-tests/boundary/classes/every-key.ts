/** Every key of git's configuration with a canary for its value, planted at once: no list of guards is complete. */
import { execFileSync } from 'node:child_process'
import { basename } from 'node:path'
import type { Plot } from '../stages/clones.ts'
import { configText } from './git-text.ts'

/** The fewest that make the claim; git 2.39 has more than 700. */
const leastKeys = 300

/** The first list is complete, the second says where names go. */
const listed = ['--config-for-completion', '--config'].flatMap((list) =>
  execFileSync('git', ['help', list], { encoding: 'utf8' }).split('\n'),
)

export const everyKey: readonly string[] = [
  ...new Set(
    listed
      .map((key) => key.trim().replaceAll(/<[^>]*>|\*/g, 'canary'))
      .filter((key) => /^[a-z]\S*\.[A-Za-z]+$/.test(key)),
  ),
].toSorted()
if (everyKey.length < leastKeys) throw new Error(`git names ${everyKey.length} keys; at least ${leastKeys} are wanted`)

/** Keys whose value git runs. */
const takesCommand =
  /clean$|smudge$|process$|driver$|command$|cmd$|program$|hook$|fsmonitor$|editor$|pager$|external$|textconv$|helper$|askpass$|gitproxy$|uploadpack$|receivepack$|uploadarchive$|browser$|difffilter$|^alias\.|^pager\.|\.tunnel$|alternaterefscommand$/i

const isSwitch = /^advice\.|^color\.|cachetextconv$/i

/** A value that git cannot read makes it end before any canary runs. */
const readable: Readonly<Record<string, string>> = {
  'branch.autoSetupRebase': 'always',
  'column.status': 'never',
  'column.ui': 'never',
  'commit.cleanup': 'strip',
  'core.abbrev': '12',
  'core.autocrlf': 'false',
  'core.bare': 'false',
  'core.createObject': 'rename',
  'core.hooksPath': 'own-hooks',
  'core.ignoreStat': 'false',
  'core.repositoryFormatVersion': '1',
  'core.sharedRepository': 'umask',
  'core.worktree': '..',
  'diff.algorithm': 'histogram',
  'diff.colorMovedWS': 'no',
  'diff.ignoreSubmodules': 'none',
  'diff.submodule': 'short',
  'diff.wsErrorHighlight': 'none',
  'extensions.objectFormat': 'sha1',
  'fetch.negotiationAlgorithm': 'default',
  'gpg.format': 'openpgp',
  'gpg.minTrustLevel': 'never',
  'include.path': 'no-such-file',
  'index.version': '2',
  'log.date': 'iso',
  'merge.conflictStyle': 'merge',
  'protocol.allow': 'always',
  'protocol.canary.allow': 'always',
  'protocol.version': '0',
  'pull.ff': 'true',
  'push.default': 'simple',
  'push.recurseSubmodules': 'no',
  'status.showUntrackedFiles': 'normal',
  'submodule.alternateErrorStrategy': 'info',
  'submodule.alternateLocation': 'no',
  'user.useConfigOnly': 'false',
}

export function everyKeyText(plot: Plot): string {
  const entries = everyKey.map((key) => [key, valueOf(plot, key)] as const)
  // A filter by process is asked first, and its silence would be the end.
  return configText(entries.filter(([key]) => key !== 'filter.canary.process'))
}

function valueOf(plot: Plot, key: string): string {
  if (isSwitch.test(key) || !takesCommand.test(key)) return readable[key] ?? '1'
  const command = plot.canary('cat', `${basename(plot.clone)}.${key}`)
  return key.startsWith('alias.') ? `!${command}` : command
}
