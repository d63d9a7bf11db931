import { h, render } from 'preact'
import { App } from './app.ts'
import { tidyAddress } from './sign-in.ts'
import { followAddress } from './view.ts'

tidyAddress()
followAddress()
const place = document.getElementById('app')
if (place !== null) render(h(App, null), place)
