import { HtmlRenderer, Parser } from 'commonmark'
import {readTags} from './tags.ts'
const t=process.argv[2]!.replaceAll('\\n','\n')
const html=new HtmlRenderer({sourcepos:true}).render(new Parser().parse(t))
for(const p of readTags(html).pieces) console.log(JSON.stringify(p.text),p.isBlock,p.within.map(e=>e.name+(e.isClosed?'+':'-')).join('>'))
