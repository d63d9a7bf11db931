/** Shorter says nothing alone, longer is no sentence but data. */
const shortest = 25
const longest = 400

/** The sentences of a text, in its order; code and tables are left out: they don't read as sentences. */
export function sentencesOf(text: string): string[] {
  return text
    .replaceAll(/```[\s\S]*?```/g, '\n\n')
    .split(/\n\s*\n|\n(?=[-*#>|])/)
    .flatMap((block) => block.replaceAll(/\s+/g, ' ').split(/(?<=[.!?])\s+(?=[\p{Lu}"'`(])/u))
    .map((sentence) => sentence.replace(/^[-*#>\s]+/, '').trim())
    .filter((sentence) => sentence.length >= shortest && sentence.length <= longest && isProse(sentence))
}

function isProse(sentence: string): boolean {
  const letters = sentence.match(/[\p{L}\s]/gu)?.length ?? 0
  return letters / sentence.length > 0.7 && sentence.includes(' ')
}
