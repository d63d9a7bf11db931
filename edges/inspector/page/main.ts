import { h, render } from 'preact'
import { App } from './app.ts'

// The ticket has done its work; a copied address shall not carry it.
history.replaceState(null, '', `${location.pathname}${location.hash}`)
const place = document.getElementById('app')
if (place !== null) render(h(App, null), place)
