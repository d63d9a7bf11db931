/** What S3 says of the wrapper, row by row, and the test that holds it. `rows.test.ts` looks that each is there. */
export interface ContractRow {
  /** Where S3 says it, and in our own words what. */
  readonly row: string
  /** Below the root of the project. */
  readonly file: string
  /** The title of the test, or the name of a case of the selftest. */
  readonly title: string
}

type Row = readonly [row: string, file: string, title: string]

const wrapperApi: readonly Row[] = [
  ['bearer with the audience', 'wrapper/wrapper.test.ts', 'refuses a caller without a token'],
  [
    'messages: 202 with the turn, result by GET',
    'wrapper/wrapper.test.ts',
    'delivers a body of %i characters exactly and reports the result',
  ],
  [
    'messages: 409 while a turn is in flight',
    'wrapper/wrapper.test.ts',
    'gives the same turn for the same Idempotency-Key and refuses a second message with 409',
  ],
  [
    'messages: 410 past the TTL, one hand-off',
    'wrapper/turns/turns.test.ts',
    'takes exactly one hand-off past the TTL',
  ],
  ['messages: the list', 'wrapper/wrapper.test.ts', 'lists its turns, newest first, by pages, and knows no other'],
  [
    'messages: its own callback address, and which are refused',
    'wrapper/wrapper.test.ts',
    'refuses a message with %s before it becomes a turn',
  ],
  ['callback address: rules', 'wrapper/turns/turns.test.ts', 'a per-turn callback address'],
  [
    'callback address: overrides the default when it is not empty',
    'wrapper/turns/callback.test.ts',
    "goes to the turn's own address in place of the default one",
  ],
  ['interject is gone', 'wrapper/wrapper.test.ts', 'lists its turns, newest first, by pages, and knows no other'],
  [
    'interrupt: one ESC byte, 202; 503 without a terminal; never 409',
    'wrapper/turns/conversation.test.ts',
    'between turns is an ESC that nothing comes of, and without a live terminal it is refused',
  ],
  [
    'interrupt: resolved by the marker as the last entry',
    'wrapper/turns/conversation.test.ts',
    'is one ESC byte, and ends the turn once its marker is the last line of user or assistant',
  ],
  [
    'interrupt: left alone and counted after 30 s',
    'wrapper/turns/conversation.test.ts',
    'that is not confirmed in 30 s leaves the turn alone, which may still end by itself',
  ],
  [
    'interrupt: session and transcript survive',
    'wrapper/wrapper.test.ts',
    'resolves an interrupt before the first token and takes the next turn',
  ],
  [
    'probe: at the next tool-call boundary',
    'wrapper/faults.test.ts',
    'delivers a probe at the next tool boundary and notes the answer',
  ],
  [
    'session: its fields, the contract version among them',
    'wrapper/wrapper.test.ts',
    'is ready with the contract version once the agent is, and says nothing of booting (rulings 1.24)',
  ],
  ['transcript: JSON lines', 'wrapper/wrapper.test.ts', 'streams a transcript of any length without holding it'],
  [
    'DELETE: graceful, the pod exits',
    'wrapper/wrapper.test.ts',
    'ends gracefully on DELETE: interrupts, pushes, calls back, exits 0',
  ],
  [
    'account usage: loopback, normalized',
    'wrapper/broker.test.ts',
    'logs an internal issue by itself and refuses a malformed usage report',
  ],
]

const turns: readonly Row[] = [
  [
    'strictly one after another, none lost or doubled',
    'wrapper/soak.test.ts',
    'no turn is lost, none is doubled, every body is exact, and memory stays flat',
  ],
  [
    'submitted by bracketed paste',
    'wrapper/terminal/terminal.test.ts',
    'types the token, pastes the body once and repeats only a late Enter',
  ],
  [
    'the result from stop hook and transcript',
    'wrapper/turns/conversation.test.ts',
    'comes with the last line, also when that is written after the Stop hook',
  ],
  [
    'an interrupted turn is failed and keeps what there was',
    'wrapper/turns/conversation.test.ts',
    'is one ESC byte, and ends the turn once its marker is the last line of user or assistant',
  ],
  ['a failure of the API', 'wrapper/faults.test.ts', 'reports an API error with its cause and takes the next turn'],
  [
    'a used-up window',
    'wrapper/faults.test.ts',
    'reports a used-up window as usage_limit with its reset, and goes on afterwards',
  ],
  [
    'retries that no hook tells of',
    'wrapper/endings.test.ts',
    'retries of the model, which no hook tells of, show in the session while they last',
  ],
  [
    'a turn that the CLI begins by itself',
    'wrapper/endings.test.ts',
    'a turn that the CLI begins by itself is ended by the next, never taken for it, and accounted for in it',
  ],
  [
    'an answer cut off at its limit',
    'wrapper/endings.test.ts',
    'an answer cut off at its limit goes on by itself, and the turn ends with the rest',
  ],
  [
    'a refusal, and a second one',
    'wrapper/endings.test.ts',
    'a refusal ends the turn as refused, and the next turn is taken',
  ],
  [
    'compaction',
    'wrapper/endings.test.ts',
    'a conversation that grew too long is compacted within the turn, which ends as any other',
  ],
  [
    'the death of the process',
    'wrapper/endings.test.ts',
    'the death of the process in a turn is its result, told before the wrapper ends with 1',
  ],
  [
    'no Stop hook at all',
    'wrapper/turns/conversation.test.ts',
    'that no hook tells leaves the turn in flight and shows as a still screen; a stop of the pod ends it with its text',
  ],
  [
    'no Stop hook at all, in a whole pod',
    'wrapper/endings.test.ts',
    'a turn that no hook ends stays in flight and says why, takes no other beside it, and ends with the pod: its text told, its work pushed',
  ],
  [
    'a stall is stamped once, counted and re-armed; nothing is killed',
    'wrapper/turns/conversation.test.ts',
    'is suspected once, counted and logged, ends nothing, and is over with genuine activity',
  ],
  [
    'a probe exchange is no activity',
    'wrapper/turns/turns.test.ts',
    'a probe is delivered once and answered by the first line after it',
  ],
  [
    'tokens, each message once',
    'wrapper/turns/turns.test.ts',
    'counts a message once, however many lines repeat its usage and whatever the proxy saw of it',
  ],
]

const callbacks: readonly Row[] = [
  [
    'until it is acknowledged; polling stays true',
    'wrapper/wrapper.test.ts',
    'repeats a callback until it is acknowledged, and tells the result to whoever asks meanwhile',
  ],
  [
    'with backoff',
    'wrapper/turns/callback.test.ts',
    'is repeated with pauses that double up to a minute, until it is acknowledged',
  ],
  [
    'signed when there is a secret',
    'wrapper/turns/callback.test.ts',
    'is signed over its bytes when there is a secret, and not otherwise',
  ],
  ['account usage omitted when never reported', 'wrapper/wrapper.test.ts', 'signs the callback of every turn'],
  [
    'account usage told once it was reported',
    'wrapper/faults.test.ts',
    'sends the real token, and tells the account usage once the status line reported it',
  ],
  [
    'pushed and failed',
    'wrapper/workspace/workspace.test.ts',
    'reports a refusal with the words of the gateway and keeps the work',
  ],
]

const boot: readonly Row[] = [
  ['defaults of every variable', 'wrapper/boot/config.test.ts', 'has the defaults of the contract'],
  ['every fault at once', 'wrapper/boot/config.test.ts', 'names every fault at once'],
  [
    '.mcp.json: fragments, extra servers, the platform',
    'wrapper/boot/agent-files.test.ts',
    'let extras win over fragments, and nobody over the platform',
  ],
  [
    '.mcp.json: reserved and incomplete ones skipped with a warning',
    'wrapper/boot/agent-files.test.ts',
    'take the sound ones of the extra servers and say which are skipped',
  ],
  [
    'an extra server is reached',
    'wrapper/faults.test.ts',
    'reaches an extra MCP server of the Project beside the tools of the platform',
  ],
  ['settings.json', 'wrapper/boot/agent-files.test.ts', 'asks for every hook, with the tool hooks on every tool'],
  [
    'the onboarding seed',
    'wrapper/boot/agent-files.test.ts',
    'approves the dummy key and the workspace, so that no dialog appears',
  ],
  ['two CLAUDE.md', 'wrapper/selftest/cases/results.ts', 'instructions.own'],
  [
    'CLAUDE.md of the base, never of the head',
    'wrapper/faults.test.ts',
    'gives the agent the instructions of the base branch and not those of the checkout',
  ],
  [
    'what it includes',
    'wrapper/boot/includes.test.ts',
    'what the base branch includes stands behind its instructions, read from the base branch',
  ],
  [
    'skills: staging and rename',
    'wrapper/boot/skills.test.ts',
    'replace those of an earlier boot whole, and leave nothing of the staging',
  ],
  [
    'skills: no boot with none',
    'wrapper/boot/skills.test.ts',
    'fail the boot when a source is configured and holds none',
  ],
  [
    'the palette fails open',
    'wrapper/boot/skills.test.ts',
    'are there although the palette of agents could not be installed, which is only said',
  ],
  ['the bypass warning accepted when it is detected', 'wrapper/selftest/cases/boot.ts', 'boot.bypass-warning'],
  [
    'quiescence, then HTTP',
    'wrapper/wrapper.test.ts',
    'is ready with the contract version once the agent is, and says nothing of booting (rulings 1.24)',
  ],
  [
    'no resume: a new session for every pod',
    'wrapper/faults.test.ts',
    'knows its turns after a kill -9, ends the orphan and commits what lay there',
  ],
  ['non-root', 'wrapper/another-user.test.ts', 'runs wholly as another user than root, its agent too'],
  ['the image', 'testing/image-tree.test.ts', "has the agent's CLI at the version that is pinned"],
  [
    'the dependency-update tool, strict about its engine',
    'testing/image-tree.test.ts',
    'the dependency-update tool is pinned exactly, fits the Node of the image, and no other may be taken for it',
  ],
  [
    'skillsRef and the image pinned to releases',
    'cli/commands/check-pins.test.ts',
    'fails, and tells file, line and reason of every one that is not',
  ],
]

const statusline: readonly Row[] = [
  [
    'posts a snapshot once, prints nothing',
    'wrapper/usage/statusline.test.ts',
    'posts both windows once and prints nothing; 0 percent is a report',
  ],
  [
    'posts nothing without both windows; no date text',
    'wrapper/usage/statusline.test.ts',
    'posts nothing and prints nothing for a payload %s',
  ],
  [
    'one attempt, 500 ms',
    'wrapper/usage/statusline.test.ts',
    'gives up on a wrapper that takes the report and never answers, without a second attempt',
  ],
  [
    'small',
    'wrapper/usage/statusline.test.ts',
    'starts in less than two and a half times the time of a Node that does nothing',
  ],
  [
    'where the contract fixes it',
    'testing/image-tree.test.ts',
    'has the status line program where the contract fixes it',
  ],
]

const workspace: readonly Row[] = [
  [
    'bootstrap merges the base',
    'wrapper/workspace/workspace.test.ts',
    'merges a base that moved into an existing task branch',
  ],
  [
    'a conflict: clean tree, first job',
    'wrapper/workspace/workspace.test.ts',
    'leaves a clean tree and a first job when the base conflicts',
  ],
  [
    'an invalid .git',
    'wrapper/workspace/workspace.test.ts',
    'clones anew under the old files when the repository data is unusable',
  ],
  [
    'stale locks, uncommitted work',
    'wrapper/workspace/workspace.test.ts',
    'commits uncommitted work and sweeps stale locks',
  ],
  [
    'merge only, never a reset',
    'wrapper/workspace/workspace.test.ts',
    'merges what another pod pushed to the task branch, never resets to it',
  ],
  [
    'precedence, whatever happens',
    'property-tests/workspace/workspace.test.ts',
    'keeps every line over random acts, kills and torn files',
  ],
  [
    'the push in the middle of a turn',
    'wrapper/workspace/outside/safety-push.test.ts',
    'pushes what is committed every interval, and neither adds nor commits',
  ],
  [
    'nothing to push and a remote ahead are success',
    'wrapper/workspace/outside/safety-push.test.ts',
    'counts nothing to push and a remote that is ahead as success',
  ],
  [
    '0 turns it off',
    'wrapper/workspace/outside/safety-push.test.ts',
    'is off with an interval of 0, and after it was stopped',
  ],
  [
    'every touched repository at the end of a turn',
    'wrapper/workspace/workspace.test.ts',
    'pushes every touched repository at the end of a turn and nothing for an untouched one',
  ],
  [
    'hooks: arguments and environment',
    'wrapper/boot/lifecycle-hooks.test.ts',
    'run in a shell with their argument and an environment that holds nothing else',
  ],
  [
    'hooks: a failure is logged and counted',
    'wrapper/boot/lifecycle-hooks.test.ts',
    'are counted and logged when they fail, and stop nothing',
  ],
  [
    'hooks: when each runs',
    'wrapper/wrapper.test.ts',
    'ran the lifecycle hooks in their order, that of a finished turn after its work was pushed',
  ],
  [
    'hooks: a pod that starts again',
    'wrapper/wrapper.test.ts',
    'a pod that starts again on the same volume restarts the conversation and clones nothing',
  ],
]

const secrets: readonly Row[] = [
  [
    'no secret in reach of the agent',
    'wrapper/faults.test.ts',
    'keeps every secret from the environment, the processes, the files, the transcript, the callbacks and the log',
  ],
  [
    'the wrapper’s memory, environment, processes and state out of its reach',
    'wrapper/faults.test.ts',
    'keeps its processes and its state out of the reach of the agent, where the machine lets it',
  ],
  ['a subscription alike', 'wrapper/faults.test.ts', "keeps the subscription's token from the agent as it keeps a key"],
  [
    'git through the gateway',
    'wrapper/broker.test.ts',
    'clones and pushes with the token out of memory, and leaves it nowhere',
  ],
  ['the profile at the broker', 'wrapper/broker.test.ts', 'lets no other call pass, and nobody without the key'],
  [
    "the model's proxy and the ceiling",
    'wrapper/endings.test.ts',
    'a turn at its token ceiling is ended with its cause, and the next turn has the ceiling to itself',
  ],
]

const metrics: readonly Row[] = [
  ['every series with its labels', 'wrapper/metrics.test.ts', '%s is a %s with the labels of the contract'],
  ['no series beside them', 'wrapper/metrics.test.ts', 'the table names every series that there is'],
]

const sections = {
  'Wrapper API': wrapperApi,
  'Turns and stalls': turns,
  Callbacks: callbacks,
  'Wrapper boot': boot,
  'Statusline feed': statusline,
  'Continuity rules and hooks': workspace,
  Secrets: secrets,
  'Events 4, metrics': metrics,
}

export const contractRows: readonly ContractRow[] = Object.entries(sections).flatMap(([section, rows]) =>
  rows.map(([row, file, title]) => ({ row: `${section}: ${row}`, file, title })),
)
