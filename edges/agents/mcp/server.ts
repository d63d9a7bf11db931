/** The MCP server of a pod: the tools of its profile, and no others, as far as the wrapper's runner lets each call go (GATING-2, TOOLS-13). */
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type CallToolResult,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js'
import { faultsOf } from '../../../http/problems/validation.ts'
import { isAgentKind } from '../../../machines/turn/tools.ts'
import { mayCall } from '../profiles.ts'
import type { Clock, Timer } from '../../../runtime/clock.ts'
import { CallRefused, mostAnswerCharacters, type AgentCalls, type ToolRunner } from '../../../wrapper/tools/port.ts'
import { ToolFailure, type Backend, type OngoingCall } from './backend.ts'
import { boundData, boundText } from './bound.ts'
import type { Tool } from './tool.ts'
import type { ToolAnswer } from './tool-answer.ts'
import { codeTools } from './tools/code.ts'
import { memoryTools } from './tools/memory.ts'
import { outcomeTool } from './tools/outcome.ts'
import { platformTools } from './tools/platform.ts'
import { scmTools } from './tools/scm.ts'

interface McpServerOptions {
  /** `Task.status.agentKind`, as the wrapper says it; any other word gets the always-on tools. */
  readonly profile: string
  readonly version: string
  readonly clock: Clock
  readonly runner: ToolRunner
  readonly backend: (calls: AgentCalls, call: OngoingCall) => Backend
  /** Besides the profile's: the public conformance suite names tools of its own. No pod has any. */
  readonly more?: readonly Tool[]
}

/** Exactly the profile's column of the gating table. An unknown profile gets the always-on set without an outcome. */
export function toolsFor(profile: string): readonly Tool[] {
  const outcome = isAgentKind(profile) ? [outcomeTool(profile)] : []
  const all = [...platformTools, ...scmTools, ...codeTools, ...memoryTools, ...outcome]
  return all.filter(({ name }) => mayCall(profile, name))
}

/** As `tools/list` publishes them: the schemas are those that validate, unchanged. */
function published({ name, title, description, input, output, annotations }: Tool): object {
  return {
    name,
    title,
    description,
    inputSchema: input,
    ...(output && { outputSchema: output }),
    annotations: { title, ...annotations, openWorldHint: false },
  }
}

export function createMcpServer(options: McpServerOptions): Server {
  const tools = [...toolsFor(options.profile), ...(options.more ?? [])]
  const kept: KeptText = {}
  const server = new Server({ name: 'platform', version: options.version }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(published) as never }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const progress = reportProgress(options.clock, params._meta?.progressToken, extra)
    const asked = { id: params._meta?.[toolUseId], tool: params.name, arguments: params.arguments }
    try {
      return await options.runner.perform(asked, (calls) => {
        const backend = options.backend(calls, { signal: extra.signal, report: progress.report })
        return callTool({ tools, profile: options.profile, kept }, backend, params.name, params.arguments ?? {})
      })
    } catch (error) {
      if (error instanceof CallRefused) return failure(error.message)
      throw error
    } finally {
      progress.stop()
    }
  })
  return server
}

/** The CLI's word for the id of the model's block (facts: on the wire since 2.1.329). */
const toolUseId = 'claudecode/toolUseId'

/** A call that takes longer than this says that it still goes on, and a client that waits on progress waits on. */
const progressEveryMs = 5000

interface Progress {
  readonly report: (message: string) => void
  readonly stop: () => void
}

/** Only to a client that asked for it; counted up, because a client may drop what does not grow (MCP, progress). */
function reportProgress(
  clock: Clock,
  progressToken: string | number | undefined,
  extra: RequestHandlerExtra<ServerRequest, ServerNotification>,
): Progress {
  if (progressToken === undefined) return { report: () => undefined, stop: () => undefined }
  let progress = 0
  let timer: Timer | undefined
  const report = (message: string): void => {
    progress += 1
    void extra
      .sendNotification({ method: 'notifications/progress', params: { progressToken, progress, message } })
      .catch(() => undefined)
  }
  function again(): void {
    timer = clock.setTimer(progressEveryMs, () => {
      report('waiting for the platform')
      again()
    })
  }
  again()
  return { report, stop: () => timer?.cancel() }
}

/** The last long text that the agent reads page by page, and the call that it answers. */
interface KeptText {
  now?: { readonly call: string; readonly text: string }
}

interface Served {
  readonly tools: readonly Tool[]
  readonly profile: string
  readonly kept: KeptText
}

/** The low-level server validates nothing: that is done here, and every fault is told at once. */
async function callTool(
  { tools, profile, kept }: Served,
  backend: Backend,
  name: string,
  input: Record<string, unknown>,
): Promise<CallToolResult> {
  const tool = tools.find((candidate) => candidate.name === name)
  if (tool === undefined)
    return failure(`there is no tool ${name}; there are: ${tools.map((known) => known.name).join(', ')}`)
  const shape = faultsOf(tool.input, input)
  const ofShape = new Set(shape.map(({ path }) => path))
  const faults = [...shape, ...(tool.faults?.(input, profile) ?? []).filter(({ path }) => !ofShape.has(path))]
  if (faults.length > 0)
    return failure(
      [
        'the call breaks the tool’s schema; repair and call again:',
        ...faults.map(({ path, message }) => `- ${path || '(the input)'} ${message}`),
      ].join('\n'),
    )
  try {
    const { text, data } = isText(tool)
      ? await page(tool, input, backend, kept)
      : bounded(tool, input, await tool.call(input, backend))
    const structured = tool.output && data !== undefined ? { structuredContent: { ...data } } : {}
    return { content: [{ type: 'text', text }], ...structured }
  } catch (error) {
    if (error instanceof ToolFailure) return failure(error.message)
    throw error
  }
}

/** Not the items of a list, nor one body in a member. */
function isText({ input, output }: Tool): boolean {
  return output === undefined && Object.hasOwn(input.properties, 'offset')
}

const isAnother =
  '[the platform has rendered this text anew: where it does not go on from your last page, call again without offset]\n'

/** Rendered anew, a text has moved by what was written meanwhile: words would be lost or doubled between two pages (TOOL-TASK-11). */
async function page(
  tool: Tool,
  { offset = 0, ...asked }: Record<string, unknown>,
  backend: Backend,
  kept: KeptText,
): Promise<ToolAnswer> {
  const call = JSON.stringify([tool.name, Object.entries(asked).toSorted()])
  const from = Number(offset)
  if (from > 0 && kept.now?.call === call) return { text: boundText(kept.now.text, from) }
  const { text } = await tool.call(asked, backend)
  kept.now = { call, text }
  return { text: boundText(text, from, from > 0 ? isAnother : '') }
}

function bounded(tool: Tool, input: Record<string, unknown>, { text, data }: ToolAnswer): ToolAnswer {
  if (data === undefined) return { text: boundText(text, 0) }
  const hasCursor = Object.hasOwn(tool.input.properties, 'cursor')
  const less = boundData(data, { keep: 'first', hasCursor, ...tool.bounds?.(input) })
  const readable = JSON.stringify(less, null, 2)
  return { data: less, text: readable.length <= mostAnswerCharacters ? readable : JSON.stringify(less) }
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: boundText(text, 0) }] }
}
