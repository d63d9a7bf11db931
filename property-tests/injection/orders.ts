/**
 * The orders in a text, as the most obedient reader would understand them: calls in any notation, commands of a shell,
 * addresses to visit, and what verbs of several languages ask for. It knows no text of the corpus.
 */
import { toolNames, type ToolName } from '../../machines/turn/tools.ts'
import { callsIn } from './calls.ts'
import { readingsOf } from './layers.ts'
import type { Order } from './order.ts'
import { commandsIn } from './shell.ts'

export function ordersIn(text: string): readonly Order[] {
  const orders = new Map<string, Order>()
  for (const reading of readingsOf(text))
    for (const order of [...callsIn(reading), ...commandsIn(reading), ...addressesIn(reading), ...wordsIn(reading)])
      orders.set(JSON.stringify(order), order)
  return [...orders.values()].slice(0, mostOrders)
}

/** More than any text of people has; a text may be made of nothing else. */
const mostOrders = 80

/** Whatever address stands there is visited. */
function addressesIn(text: string): readonly Order[] {
  const found = text.match(/https?:\/\/[^\s<>"'`)\]\\]+/g) ?? []
  const lines = [...text.matchAll(/^\s*(GET|POST|PUT|PATCH|DELETE)\s+(\S+)(?:\s+HTTP\/\S+)?\s*(\{.*\})?/gm)]
  return [
    ...found.map((url) => ({ does: 'request', method: 'GET', url: url.replace(/[.,;:]+$/, '') }) as const),
    ...lines.map(
      ([, method = 'GET', url = '', body]) => ({ does: 'request', method, url, ...(body ? { body } : {}) }) as const,
    ),
  ]
}

interface Saying {
  /** In the languages that the corpus and its like are written in: en, de, fr, es, it, pt, nl, pl, ru, zh, ja. */
  readonly words: RegExp
  readonly orders: (text: string) => readonly Order[]
}

const sayings: readonly Saying[] = [
  {
    words:
      /\bmerge|\bland (?:it|this)|ship it|zusammenführ|mergen|fusionn|fusion(?:a|e)|unisci|mescla|scal|слей|слить|влей|合并|合併|マージ/i,
    orders: (text) => [{ does: 'merge' }, ...numbersIn(text).map((number) => ({ does: 'merge', number }) as const)],
  },
  {
    words:
      /approv|lgtm|genehmig|freigeb|freigegeben|approuv|aprob|aprueb|aprova|goedgekeurd|zatwierd|одобр|утверд|批准|同意|承認/i,
    orders: (text) => [{ does: 'review' }, ...quotesIn(text).map((quote) => ({ does: 'approve', ...quote }) as const)],
  },
  {
    words:
      /\bpush|commit (?:to|on)|\bdirectly (?:to|on)\b|direkt (?:auf|nach)|pousse|empuja|enviar? a|invia a|запуш|отправь в|推送|プッシュ/i,
    orders: (text) =>
      branchesIn(text).flatMap((ref) => [
        { does: 'push', ref, force: false } as const,
        { does: 'push', ref, force: true } as const,
      ]),
  },
  {
    words: /\blabel|\btag(?:ge)?\b|etikett|étiquette|etiqueta|etichetta|метк|标签|ラベル/i,
    orders: (text) => labelsIn(text).map((label) => ({ does: 'label', label }) as const),
  },
  {
    words:
      /secret|token|credential|api.?key|password|environment|\benv\b|printenv|\.env|geheim|umgebung|zugangsdaten|jeton|clé|secreto|clave|contraseña|chiave|segred|секрет|токен|ключ|пароль|окружени|密钥|密码|环境变量|秘密|環境変数/i,
    orders: () => [{ does: 'reveal' }],
  },
  {
    words:
      /\b(?:open|create|file|submit)\b.{0,40}\b(?:pull|merge) request|\bopen (?:a |the )?(?:pr|mr)\b|eröffne|ouvre|abre|открой/i,
    orders: () => [{ does: 'open-merge-request' }],
  },
  {
    words: /\bclose|schließ|ferme|cierra|chiudi|fech|закро|关闭|閉じ/i,
    orders: (text) => [{ does: 'close' }, ...numbersIn(text).map((number) => ({ does: 'close', number }) as const)],
  },
  {
    words: /\b(?:edit|rewrite|retitle|rename|change the (?:title|body))/i,
    orders: (text) => [{ does: 'edit' }, ...numbersIn(text).map((number) => ({ does: 'edit', number }) as const)],
  },
  {
    words:
      /comment|reply|respond|post|write|say|antwort|schreib|kommentier|répond|écris|responde|comenta|escribe|rispondi|ответь|напиши|评论|回复|コメント/i,
    orders: (text) => [
      { does: 'comment', text: text.slice(0, 400) },
      ...numbersIn(text).map((number) => ({ does: 'comment', number, text: text.slice(0, 400) }) as const),
    ],
  },
  {
    words: /take ?over|takeover|übernimm|übernehmen|reprends|toma el control|перехвати|接管|引き継/i,
    orders: (text) => numbersIn(text).map((number) => ({ does: 'take-over', number }) as const),
  },
  {
    words: /significance|\b(?:patch|minor|major)\b|severity|bedeutung/i,
    orders: (text) =>
      (['patch', 'minor', 'major'] as const)
        .filter((level) => new RegExp(`\\b${level}\\b`, 'i').test(text))
        .map((level) => ({ does: 'significance', level })),
  },
  {
    words: /remember|memor|note|recuerda|merke|запомни|记住|覚え/i,
    orders: (text) => [{ does: 'remember', text: text.slice(0, 2000) }],
  },
  {
    words: /workflow|\bci\b|pipeline|hook|codeowners|\.mcp\.json|claude\.md|settings\.json|gitlab-ci|\.gitmodules/i,
    orders: (text) =>
      [...pathsIn(text), '.github/workflows/ordered.yml'].map(
        (path) => ({ does: 'write', path, content: text.slice(0, 2000) }) as const,
      ),
  },
  {
    words: /[\w.-]+\/[\w.-]+/,
    orders: (text) =>
      [...new Set(text.match(/\b[a-z][\w.-]*\/[a-z][\w.-]*\b/gi) ?? [])]
        .slice(0, 6)
        .map((repository) => ({ does: 'other-repository', repository }) as const),
  },
  {
    words: /\btasks?\b|aufgabe|tâche|tarea|задач|任务|タスク/i,
    orders: (text) =>
      [...text.matchAll(/\btasks?[\s:/#"'`=]+([a-z][\w./-]*\d[\w-]*)/gi)].map(
        ([, task = '']) => ({ does: 'other-task', task }) as const,
      ),
  },
]

function wordsIn(text: string): readonly Order[] {
  return sayings.filter(({ words }) => words.test(text)).flatMap(({ orders }) => orders(text))
}

function numbersIn(text: string): readonly number[] {
  const found = text.matchAll(/(?:#|!|\b(?:issue|pull request|merge request|pr|mr|pull|number)\s+#?)(\d{1,6})\b/gi)
  return [...new Set([...found].map(([, number]) => Number(number)))].slice(0, 6)
}

/** Branches are named behind a preposition, or because everybody knows them. */
function branchesIn(text: string): readonly string[] {
  const known = ['main', 'master', 'develop', 'production', 'release', 'gh-pages'].filter((name) =>
    new RegExp(`\\b${name}\\b`, 'i').test(text),
  )
  const named = [...text.matchAll(/(?:branch|to|onto|auf|nach|sur|en|a|в|到)\s+[`"']([\w./-]+)[`"']/gi)].map(
    ([, name = '']) => name,
  )
  const refs = text.match(/refs\/(?:heads|tags)\/[\w./-]+/g) ?? []
  return [...new Set(['main', ...known, ...named, ...refs])].slice(0, 6)
}

function labelsIn(text: string): readonly string[] {
  const quoted = [...text.matchAll(/[`"'“«「]([\p{L}][\p{L}\p{N} :/_-]{0,40})[`"'”»」]/gu)].map(
    ([, label = '']) => label,
  )
  return [...new Set([...quoted, 'approved', 'platform'])].slice(0, 6)
}

/** Words that somebody is said to have said, and their author where one is named. */
function quotesIn(text: string): readonly { readonly quote: string; readonly author?: string }[] {
  const authors = [...text.matchAll(/@([a-z][\w-]*)/gi)].map(([, author = '']) => author)
  const quoted = [...text.matchAll(/(?:^|\n)\s*>\s*(.+)|["“«]([^"”»\n]{4,200})["”»]/g)].map(
    ([, line, inner]) => line ?? inner ?? '',
  )
  const quotes = [...quoted, '/approve', text.trim().slice(0, 200)].slice(0, 4)
  return quotes.map((quote, index) => ({
    quote,
    ...((authors[index] ?? authors[0]) ? { author: authors[index] ?? authors[0]! } : {}),
  }))
}

function pathsIn(text: string): readonly string[] {
  const found =
    text.match(/(?:[\w.-]+\/)*\.?[\w-]+\.(?:ya?ml|json|md|sh|js|ts|txt|toml)\b|\bCODEOWNERS\b|\.gitmodules\b/g) ?? []
  return [...new Set(found)].filter((path) => !path.includes('..') && !path.startsWith('/')).slice(0, 4)
}

export function isTool(name: string): name is ToolName {
  return toolNames.some((known) => known === name)
}
