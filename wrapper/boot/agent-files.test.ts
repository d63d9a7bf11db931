import { describe, expect, test } from 'vitest'
import { socketsIn } from '../sockets/agent-sockets.ts'
import { rememberingLogger } from '../testing/quiet-log.ts'
import { agentCommand, agentEnvironment } from './agent-process.ts'
import { excludedInstructions, renderOnboarding, renderSettings } from './agent-files.ts'
import { loadConfig, type Config } from './config.ts'
import { renderGlobalInstructions } from './instructions.ts'
import { renderMcpConfig } from './mcp-config.ts'
import { shellWords } from './shell-words.ts'

const config = (env: Record<string, string> = {}): Config =>
  loadConfig(
    {
      HOME: '/home/agent',
      OIDC_ISSUER: 'https://id.example',
      OIDC_AUDIENCE: 'wrapper',
      PLATFORM_TASK: 't',
      PLATFORM_CONTRACT_VERSION: '4',
      PLATFORM_PROJECT: 'p',
      PLATFORM_TOOL_PROFILE: 'implement',
      MODEL_PROVIDER_API_KEY: 'real-key',
      CALLBACK_HMAC_SECRET: 'real-secret',
      ...env,
    },
    () => 'file',
  )
const plumbing = {
  sockets: socketsIn('/tmp/sw-x'),
  programs: '/tmp/sw-x/bin',
  runtime: '/tmp/sw-x',
  relayCommand: ['/opt/node', 'relay.mjs'],
  statuslineCommand: ['/opt/node', "it's a line.mjs"],
}

describe('what the agent reads', () => {
  test('asks for every hook, with the tool hooks on every tool (WRAPPER-BOOT-4)', () => {
    const settings = renderSettings(config(), plumbing) as {
      hooks: Record<string, { matcher?: string; hooks: object[] }[]>
    }
    expect(Object.keys(settings.hooks)).toEqual([
      'UserPromptSubmit',
      'Stop',
      'StopFailure',
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
    ])
    expect(settings.hooks['PostToolUse']![0]!.matcher).toBe('*')
    expect(settings.hooks['Stop']![0]!.hooks).toEqual([
      {
        type: 'mcp_tool',
        server: 'wiring',
        tool: 'hook',
        timeout: 30,
        input: {
          event: 'Stop',
          session_id: '${session_id}',
          transcript_path: '${transcript_path}',
          prompt_id: '${prompt_id}',
          prompt: '${prompt}',
          tool_name: '${tool_name}',
          last_assistant_message: '${last_assistant_message}',
          error: '${error}',
          error_details: '${error_details}',
        },
      },
    ])
  })

  test('has a status line only where a subscription has windows to tell, by the socket (CLI-FACT-7)', () => {
    expect(renderSettings(config(), plumbing)).not.toHaveProperty('statusLine')
    expect(renderSettings(config({ AGENT_RUNTIME_OAUTH_TOKEN: 'o' }), plumbing)).toMatchObject({
      statusLine: { type: 'command', command: `'/opt/node' 'it'\\''s a line.mjs' '/tmp/sw-x/model.sock'` },
    })
  })

  test('excludes instruction files inside the clones and around the workspace, but not its own', () => {
    const excluded = excludedInstructions('/home/agent/ws', '/home/agent')
    expect(excluded).toEqual(expect.arrayContaining(['/home/agent/ws/*/**/CLAUDE.md', '/home/CLAUDE.md', '/CLAUDE.md']))
    expect(excluded).not.toContain('/home/agent/.claude/CLAUDE.md')
  })

  test('approves the placeholder of a key and the workspace, so that no dialog appears (WRAPPER-BOOT-5, CLI-FACT-1)', () => {
    expect(renderOnboarding(config())).toEqual({
      hasCompletedOnboarding: true,
      customApiKeyResponses: { approved: ['ssh-placeholder'], rejected: [] },
      projects: { '/workspace': { hasTrustDialogAccepted: true } },
    })
  })

  test('puts the findings of the boot first (WORKSPACE-2)', () => {
    expect(renderGlobalInstructions(config(), ['merge main'])).toMatch(/^# First\n\n- merge main/)
    expect(renderGlobalInstructions(config({ PLATFORM_TOOL_PROFILE: 'review' }), [])).toContain(
      'moves the head you judge',
    )
  })
})

type Server = Readonly<Record<string, unknown>>

describe('the MCP servers', () => {
  const render = (extra: string, overlays: readonly unknown[] = []): Record<string, Server> =>
    (
      renderMcpConfig(
        config({ PLATFORM_EXTRA_MCP_SERVERS: extra }),
        plumbing,
        overlays,
        rememberingLogger().logger,
      ) as { mcpServers: Record<string, Server> }
    ).mcpServers

  test('of the platform are relays to the wrapper, and hold neither credential nor address of a service (TOOLS-2)', () => {
    const env = { PATH: config().path }
    expect(render('')).toEqual({
      platform: { command: '/opt/node', args: ['relay.mjs', '/tmp/sw-x/tools.sock'], env },
      wiring: { command: '/opt/node', args: ['relay.mjs', '/tmp/sw-x/wiring.sock'], env },
    })
  })

  test.each([
    ['not json'],
    ['{}'],
    ['[{"name":"x"}]'],
    ['[{"name":"platform","url":"http://evil"}]'],
    ['[{"name":"wiring","url":"http://evil"}]'],
    ['[{"name":"x","url":"file:///etc"}]'],
  ])('skip the extra servers %s (PROJECT-MCP-3, PROJECT-MCP-6, WRAPPER-MCP-7, WRAPPER-MCP-8)', (extra) => {
    expect(render(extra)).toEqual(render(''))
  })

  test('take the sound ones of the extra servers and say which are skipped (PROJECT-MCP-5, PROJECT-MCP-6, WRAPPER-ENV-15, WRAPPER-MCP-6, WRAPPER-MCP-8, WRAPPER-RULE-11)', () => {
    const log = rememberingLogger()
    const extra = [
      { name: 'wiki', url: 'https://wiki.example/mcp' },
      { name: 'feed', url: 'http://feed.example/', type: 'sse' },
      { name: 'alerting', url: 'https://x' },
      { name: 'code-navigation', url: 'https://x' },
      { name: 'Not A Name', url: 'https://x' },
      { name: 'other', url: 'https://x', type: 'stdio' },
      { name: 'wiki', url: 'https://second.example/mcp' },
    ]
    const given = config({ PLATFORM_EXTRA_MCP_SERVERS: JSON.stringify(extra) })
    const { mcpServers } = renderMcpConfig(given, plumbing, [], log.logger) as { mcpServers: Record<string, Server> }
    expect(mcpServers).toEqual({
      wiki: { type: 'http', url: 'https://second.example/mcp' },
      feed: { type: 'sse', url: 'http://feed.example/' },
      ...render(''),
    })
    const said = log.lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
    expect(said.filter((line) => line.includes('reserved'))).toHaveLength(2)
    expect(said.filter((line) => line.includes('incomplete'))).toHaveLength(2)
    expect(said.filter((line) => line.includes('twice'))).toHaveLength(1)
  })

  test('log the name alone of an extra server that is incomplete: its address or a header may hold a secret', () => {
    const log = rememberingLogger()
    const entry = { name: 'wiki', url: 'https://wiki.example/?key=hush', type: 'stdio', headers: { 'X-Own': 'hush' } }
    const given = config({ PLATFORM_EXTRA_MCP_SERVERS: JSON.stringify([entry, 'hush', null]) })
    renderMcpConfig(given, plumbing, [], log.logger)
    expect(log.lines.join('')).not.toContain('hush')
    expect(log.lines.map((line) => (JSON.parse(line) as { name?: string }).name)).toContain('wiki')
  })

  test('run the programs of fragments where commands run, with the variables that they name', () => {
    const tool = { command: 'npx', args: ['tool', '--fast'], env: { TOOL_KEY: 'k', TOOL_MODE: 'm' } }
    const servers = render('', [{ mcpServers: { tool, plain: { command: 'serve' }, far: { url: 'https://far' } } }])
    expect(servers['tool']).toEqual({
      command: '/tmp/sw-x/bin/inside',
      args: ['TOOL_KEY TOOL_MODE', 'npx', 'tool', '--fast'],
      env: { TOOL_KEY: 'k', TOOL_MODE: 'm' },
    })
    expect(servers['plain']).toEqual({ command: '/tmp/sw-x/bin/inside', args: ['', 'serve'] })
    expect(servers['far']).toEqual({ url: 'https://far' })
  })

  test('let extras win over fragments, and nobody over the platform (WRAPPER-MCP-3)', () => {
    const servers = render('[{"name":"wiki","url":"https://extra"}]', [
      { mcpServers: { wiki: { url: 'https://fragment' }, platform: { url: 'https://evil' }, wiring: { url: 'x' } } },
      undefined,
    ])
    expect(servers['wiki']).toEqual({ type: 'http', url: 'https://extra' })
    expect([servers['platform']?.['command'], servers['wiring']?.['command']]).toEqual(['/opt/node', '/opt/node'])
  })
})

describe("the agent's process", () => {
  test('gets an environment of known names only, without any secret (POD-ENV-1, POD-ENV-14)', () => {
    const env = agentEnvironment(config(), plumbing, true)
    expect(JSON.stringify(env)).not.toMatch(/real-key|real-secret/)
    expect(env).toMatchObject({
      ANTHROPIC_API_KEY: 'ssh-placeholder',
      ANTHROPIC_BASE_URL: 'http://model.invalid',
      ANTHROPIC_UNIX_SOCKET: '/tmp/sw-x/model.sock',
      CLAUDE_CODE_SHELL: '/tmp/sw-x/bin/bash',
      PATH: `/tmp/sw-x/bin:${config().path}`,
      PLATFORM_CONTRACT_VERSION: '4',
      // In its HOME a socket's path may be too long, and the CLI would take /tmp, which commands see.
      XDG_RUNTIME_DIR: '/tmp/sw-x',
      IS_SANDBOX: '1',
      ENABLE_TOOL_SEARCH: 'false',
    })
    const subscribed = agentEnvironment(config({ AGENT_RUNTIME_OAUTH_TOKEN: 'o' }), plumbing, false)
    expect(subscribed).toMatchObject({ CLAUDE_CODE_OAUTH_TOKEN: 'ssh-placeholder' })
    // With both the CLI would pass the socket by.
    expect(subscribed).not.toHaveProperty('ANTHROPIC_API_KEY')
  })

  test('is started with model, effort and without the tools that wait for a person (BUNDLE-3, CONTINUITY-1, WRAPPER-TURN-1, WRAPPER-BOOT-15, POD-ENV-12, POD-ENV-17, CLI-FACT-10)', () => {
    const command = agentCommand(config({ MODEL: 'm', EFFORT: 'high' }), 'id')
    expect(command.join(' ')).toBe(
      'claude --dangerously-skip-permissions --session-id id --model m --effort high --disallowedTools AskUserQuestion,EnterPlanMode,ExitPlanMode,ScheduleWakeup,CronCreate,Workflow',
    )
  })

  test('survives quoting', () => {
    expect(shellWords(["a b'c"])).toBe(`'a b'\\''c'`)
  })
})
