/** The line to the feed: kept open, and resumed behind the last message that came. Its first position comes with what is read. */
import type { Bundle, HelloMessage, StepMessage } from '../messages.ts'

export type LineState = 'connecting' | 'open' | 'lost'

interface Listener {
  /** Begins to read what is shown, and gives the feed's position of before; repeated where it fails. */
  begin(): Promise<string>
  onState(state: LineState): void
  /** Everything shown has to be read anew. */
  onMissed(): void
  onStep(step: StepMessage): void
  onTime(now: number): void
}

/** The server speaks every 25 s at least. */
const silenceMs = 60_000
const longestPauseMs = 10_000

export function openLine(listener: Listener): () => void {
  let socket: WebSocket | undefined
  let feed = ''
  let last = 0
  let pauseMs = 500
  let isEnded = false
  let timer = 0

  function begin(): void {
    listener.begin().then((position) => {
      if (isEnded) return
      const [id = '', n] = position.split('.')
      feed = id
      last = Number(n)
      connect()
    }, retry)
  }

  function connect(): void {
    const { protocol, host } = location
    socket = new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}/inspector/live?after=${feed}.${last}`)
    socket.addEventListener('message', ({ data }) =>
      take(JSON.parse(String(data)) as HelloMessage | Bundle | { now: number }),
    )
    socket.addEventListener('close', retry)
    watch()
  }

  function take(message: HelloMessage | Bundle | { readonly now: number }): void {
    watch()
    if (isBundle(message)) {
      for (const step of message) {
        last = step.n
        listener.onStep(step)
      }
    } else if ('feed' in message) {
      const isMissed = message.missed
      if (message.feed !== feed) last = 0
      feed = message.feed
      pauseMs = 500
      listener.onTime(message.now)
      listener.onState('open')
      if (isMissed) listener.onMissed()
    } else listener.onTime(message.now)
  }

  function watch(): void {
    clearTimeout(timer)
    timer = window.setTimeout(() => socket?.close(), silenceMs)
  }

  function retry(): void {
    clearTimeout(timer)
    if (isEnded) return
    listener.onState('lost')
    timer = window.setTimeout(feed === '' ? begin : connect, pauseMs)
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  }

  listener.onState('connecting')
  begin()
  return () => {
    isEnded = true
    clearTimeout(timer)
    socket?.close()
  }
}

function isBundle(message: object): message is Bundle {
  return Array.isArray(message)
}
