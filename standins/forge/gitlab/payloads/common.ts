import type { User } from '../../store/records.ts'
import type { Links } from '../links.ts'

export type Json = Record<string, unknown>

export function userPayload(links: Links, user: User): Json {
  return {
    id: user.id,
    username: user.login,
    public_email: null,
    name: user.name,
    state: 'active',
    locked: false,
    avatar_url: null,
    web_url: links.user(user),
  }
}

/** A user with what only their own page shows. */
export function fullUserPayload(links: Links, user: User): Json {
  return {
    ...userPayload(links, user),
    created_at: user.createdAt,
    bio: '',
    location: null,
    bot: user.type === 'Bot',
    organization: null,
    job_title: '',
    followers: 0,
    following: 0,
    is_followed: false,
  }
}

export function nullable<T>(value: T | null | undefined, show: (value: T) => Json): Json | null {
  return value === null || value === undefined ? null : show(value)
}
