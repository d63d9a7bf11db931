import { h, render } from 'preact'
import { App } from './app.ts'
import { tidyAddress } from './sign-in.ts'

tidyAddress()
const place = document.getElementById('app')
if (place !== null) render(h(App, null), place)
