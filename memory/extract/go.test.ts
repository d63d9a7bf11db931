import { expect, test } from 'vitest'
import { edgesOf } from './testing/folder.ts'

const value = `package flag

type Value interface {
	Set(string) error
	String() string
}

type Flag struct{ Value Value }

func (f *Flag) Show() {}
`

test('Go: an element of a map, a list or a channel has the type that is declared for it (EXTRACTION-2)', async () => {
  const edges = await edgesOf(
    {
      'value.go': value,
      'set.go': `package flag

type named map[string]*Flag

type FlagSet struct {
	formal map[string]*Flag
	order  []Flag
	named  named
	queue  chan *Flag
}

func (s *FlagSet) Lookup(name string) *Flag { return s.formal[name] }

func (s *FlagSet) All() ([]*Flag, error) { return nil, nil }

func byKey(s *FlagSet)     { s.formal["a"].Value.Set("b") }
func checked(s *FlagSet)   { flag, ok := s.formal["a"]; _ = ok; flag.Show() }
func ranged(s *FlagSet)    { for _, flag := range s.order { flag.Show() } }
func alias(s *FlagSet)     { for _, flag := range s.named { flag.Show() } }
func received(s *FlagSet)  { flag := <-s.queue; flag.Show() }
func drained(s *FlagSet)   { for flag := range s.queue { flag.Show() } }
func returned(s *FlagSet)  { s.Lookup("a").Show() }
func list(s *FlagSet)      { all, _ := s.All(); all[0].Show() }
func sliced(s *FlagSet)    { s.order[1:][0].Show() }
func made()                { m := make(map[string]Flag); m["a"].Show() }
func literal()             { all := []*Flag{}; all[0].Show() }
func variadic(f ...*Flag)  { for _, flag := range f { flag.Show() } }
func asserted(x any)       { if flag, ok := x.(*Flag); ok { flag.Show() } }
func indexes(s *FlagSet)   { for place := range s.order { place.Show() } }
`,
    },
    'calls',
  )
  const show = (name: string, sure = 0.95): string => `set.go#${name} calls value.go#Flag.Show ${sure}`
  expect(edges.filter((edge) => edge.includes('value.go#'))).toEqual(
    [
      'set.go#byKey calls value.go#Value.Set 0.95',
      ...['checked', 'ranged', 'alias', 'received', 'drained', 'sliced', 'made', 'literal', 'variadic'].map((name) =>
        show(name),
      ),
      show('asserted'),
      show('indexes', 0.55),
      show('returned', 0.85),
      show('list', 0.85),
    ].toSorted(),
  )
})
