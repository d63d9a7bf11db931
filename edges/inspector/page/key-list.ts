/** What `?` opens. The browser's own dialog keeps the focus, closes with Escape, and gives the focus back. */
import { h, type ComponentChild } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { keyIn, keyTable, printed, type Key } from './keys.ts'

interface KeyListProps {
  onSearch(): void
}

export function KeyList({ onSearch }: KeyListProps): ComponentChild {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const follow = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return
      const { action } = keyIn('Anywhere', event.key) ?? {}
      if (action === undefined || dialog.current?.open === true) return
      event.preventDefault()
      if (action === 'search') onSearch()
      else dialog.current?.showModal()
    }
    addEventListener('keydown', follow)
    return () => removeEventListener('keydown', follow)
  }, [onSearch])
  return [
    h('button', { class: 'keys', onClick: () => dialog.current?.showModal() }, 'keys'),
    h('dialog', { ref: dialog, 'aria-label': 'Keys' }, [
      h('h2', null, [
        'Keys',
        h('button', { class: 'close', 'aria-label': 'Close', onClick: () => dialog.current?.close() }, '×'),
      ]),
      Object.entries(keyTable).map(([place, rows]) => [
        h('h3', null, place),
        h(
          'dl',
          null,
          rows.map(({ keys, does }: Key) =>
            h('div', null, [
              h(
                'dt',
                null,
                keys.map((key) => [h('kbd', null, printed(key)), ' ']),
              ),
              h('dd', null, does),
            ]),
          ),
        ),
      ]),
    ]),
  ]
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input,textarea,select')
}
