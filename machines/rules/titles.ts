/** Titles compared as people read them: two proposals of one name are one proposal (WORDS-6). */
import { shortHash } from './names.ts'

function normalised(title: string): string {
  return title
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

export function isSameTitle(one: string, other: string): boolean {
  return normalised(one) === normalised(other)
}

/** What an issue is found again by; the words follow the hash, so that two names that collide stay two. */
export function titleKey(repository: string, title: string): string {
  const words = normalised(title)
  return `${shortHash(`${repository}/${words}`)}-${words.slice(0, 60).replaceAll(' ', '-')}`
}
