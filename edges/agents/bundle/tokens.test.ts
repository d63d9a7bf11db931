import { globSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'
import { describe, expect, it } from 'vitest'
import { escapeText } from './escape.ts'
import { tokensAtMost } from './tokens.ts'

const encoding = new Tiktoken(o200k)
const root = new URL('../../../', import.meta.url).pathname
const length = 12_000

let state = 7
function below(most: number): number {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
  return Math.floor((state / 2_147_483_648) * most)
}

function of(files: string): string {
  const texts = globSync(files, { cwd: root }).toSorted()
  const each = Math.ceil(length / texts.length) + 400
  return texts.map((file) => readFileSync(`${root}${file}`, 'utf8').slice(0, each)).join('\n')
}
function lines(line: (n: number) => string): string {
  return Array.from({ length: 200 }, (_, n) => line(n)).join('\n')
}
function from(characters: string, count: number): string {
  const all = [...characters]
  return Array.from({ length: count }, () => all[below(all.length)]).join('')
}
const hex = (count: number): string => from('0123456789abcdef', count)
const bytes = (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => below(256)))

const code = of('runtime/**/*.ts')
const log = (): string =>
  JSON.stringify({
    level: 30,
    time: 1_700_000_000_000 + below(1e9),
    reqId: hex(8),
    sha: hex(40),
    msg: 'upstream timeout',
  })
const chinese =
  '修复解析器在空输入时抛出异常的问题。请先阅读贡献指南，然后提交合并请求。测试必须全部通过，并且不要更改公共接口。'
const japanese =
  '空の入力でパーサーが例外を投げる問題を修正しました。まず貢献ガイドを読んでから、マージリクエストを送ってください。'
const korean = '빈 입력에서 파서가 예외를 던지는 문제를 수정했습니다. 먼저 기여 가이드를 읽고 병합 요청을 보내 주세요.'
const european =
  'Исправлена ошибка при пустом вводе. Der Parser wirft bei leerer Eingabe keine Ausnahme mehr. Jäsennin ei enää kaadu tyhjään syötteeseen. ' +
  "L'analyseur ne lève plus d'exception. Parser nie zgłasza już wyjątku przy pustym wejściu. Ayrıştırıcı artık istisna fırlatmıyor. "

const ordinary = { prose: of('docs/*.md'), decisions: of('decisions/*.md'), code, tests: of('edges/agents/*.test.ts') }
const dense = {
  logs: lines(
    (n) =>
      `2026-11-29T10:51:${n % 60}.${below(999)}Z WARN [worker-${n}] 10.0.${below(255)}.7:${below(65536)} took ${below(9999)}ms`,
  ),
  'JSON logs': lines(log),
  'a lock file': readFileSync(`${root}package-lock.json`, 'utf8').slice(0, 2 * length),
  'stack traces': lines((n) => `    at Object.parse${n} (/srv/app/node_modules/parser/lib/file${n}.js:${n * 3}:${n})`),
  base64: lines(() => bytes(57).toString('base64')),
  'base64 of text': Buffer.from(code.slice(0, length)).toString('base64'),
  'hex dumps': lines(
    (n) =>
      `${(n * 16).toString(16).padStart(8, '0')}: ${lines(() => hex(4))
        .slice(0, 39)
        .replaceAll('\n', ' ')}`,
  ),
  hashes: lines(() => `${hex(40)} ${hex(8)}-${hex(4)}-${hex(12)}`.toUpperCase()),
  'minified code': code
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{}()=;,:<>+&|?]) ?/g, '$1'),
  tables: lines((n) => `${n},${below(1000)},${(below(1e6) / 1e6).toFixed(6)},${hex(6)}`),
  numbers: lines(() => `${below(10)} ${below(100)} ${below(1e6)}`),
  letters: lines(() => from('abcdefghijklmnopqrstuvwxyz', 1 + below(60))),
  'letters of both cases': lines(() => from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', 60)),
  signs: lines(() => from('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', 40)),
  blanks: lines(() => from(' \t', 20)),
  brackets: '[{'.repeat(500) + '{'.repeat(500),
  ASCII: lines(() => from(Array.from({ length: 95 }, (_, n) => String.fromCharCode(32 + n)).join(''), 60)),
  'bytes as UTF-8': bytes(length).toString('utf8'),
  'bytes as Latin-1': bytes(length).toString('latin1'),
  Chinese: chinese.repeat(20),
  Japanese: japanese.repeat(20),
  Korean: korean.repeat(20),
  'European languages': european.repeat(10),
  emoji: '😀🎉🚀👍🏽👩‍👩‍👧‍👦🇩🇪❤️🔥✅❌⚠️🧑‍💻🫠🪿'.repeat(40),
}
const all: readonly (readonly [string, string])[] = Object.entries({ ...ordinary, ...dense }).flatMap(
  ([kind, text]) => {
    const part = text.toWellFormed().slice(0, length)
    return [
      [kind, part],
      [`${kind}, escaped`, escapeText(part)],
    ] as const
  },
)

describe('at most so many tokens', () => {
  it.each(all)('are never fewer than the public vocabulary counts in %s (BUNDLE-BUDGET-15)', (_kind, text) => {
    for (let at = 0; at < text.length; at += 1000) {
      const part = text.slice(at, at + 1000).toWellFormed()
      if (part.length === 1000) expect(tokensAtMost(part)).toBeGreaterThanOrEqual(tokensOf(part))
    }
  })

  it.each(Object.entries(ordinary))('are at most 1.5 times what it counts in %s (BUNDLE-BUDGET-15)', (_kind, text) => {
    for (const part of [text.slice(0, length), escapeText(text.slice(0, length))])
      expect(tokensAtMost(part) / tokensOf(part)).toBeLessThan(1.5)
  })

  it('are never fewer in any mix (BUNDLE-BUDGET-15)', () => {
    const piece = fc
      .tuple(fc.constantFrom(...all), fc.nat(length), fc.integer({ min: 200, max: 600 }))
      .map(([[, text], at, size]) =>
        text
          .slice(at % Math.max(1, text.length - size))
          .slice(0, size)
          .toWellFormed(),
      )
    const mix = fc.tuple(
      fc.array(piece, { minLength: 1, maxLength: 8 }),
      fc.constantFrom('', ' ', '\n', '</comment>\n'),
    )
    fc.assert(
      fc.property(mix, ([pieces, between]) => {
        const text = pieces.join(between)
        expect(tokensAtMost(text)).toBeGreaterThanOrEqual(tokensOf(text))
      }),
      { numRuns: 200 },
    )
  })

  it('of two texts are those of the one and of the other, but for what meets (BUNDLE-BUDGET-15)', () => {
    const text = fc.constantFrom(...all.map(([, each]) => each.slice(0, 300)))
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [whole, parts] = [
          tokensAtMost(`<a>${a}</a>\n<b>${b}</b>\n`),
          tokensAtMost(`<a>${a}</a>\n`) + tokensAtMost(`<b>${b}</b>\n`),
        ]
        expect(Math.abs(whole - parts)).toBeLessThanOrEqual(1)
      }),
    )
  })
})

function tokensOf(text: string): number {
  return encoding.encode(text, 'all').length
}
