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

test('Go: a type implements the interfaces whose methods it has, by names and by types (EXTRACTION-1)', async () => {
  const edges = await edgesOf(
    {
      'value.go': value,
      'types.go': `package flag

type named interface {
	Value
	error
	name() string
}

type Empty interface{}

type outside interface {
	fmt.Stringer
	Show()
}

type number interface {
	~int
	Show()
}

type text string

func (t *text) Set(value string) error { return nil }
func (t text) String() string          { return "" }

type embedding struct {
	*text
	other int
}

func (e embedding) Error() string { return "" }
func (e embedding) name() string  { return "" }

type taker struct{}

func (taker) Set(value []byte) error { return nil }
func (taker) String() string         { return "" }

type two struct{}

func (two) Set(one, other string) error { return nil }
func (two) String() string              { return "" }

type holder struct{ Value }
`,
      'other/other.go': `package other

import "flag"

type foreign struct{}

func (foreign) Set(string) error { return nil }
func (foreign) String() string   { return "" }
func (foreign) Error() string    { return "" }
func (foreign) name() string     { return "" }

type list[T any] interface {
	Each(visit func(T) bool)
	Add(values ...T)
	Flag(f *flag.Flag) (any, error)
}

type slice[E any] struct{}

func (s *slice[E]) Each(f func(each E) bool)                 {}
func (s *slice[E]) Add(values ...E)                          {}
func (s *slice[E]) Flag(f *flag.Flag) (interface{}, error) { return nil, nil }
`,
    },
    'implements',
  )
  expect(edges).toEqual(
    [
      'other/other.go#foreign implements value.go#Value 0.95',
      'other/other.go#slice implements other/other.go#list 0.95',
      'types.go#embedding implements types.go#named 0.95',
      'types.go#embedding implements value.go#Value 0.95',
      'types.go#holder implements value.go#Value 0.95',
      'types.go#text implements value.go#Value 0.95',
    ].toSorted(),
  )
})

test('Go: what embeds the same thing twice, at each of forty steps, is looked at once for each type (EXTRACTION-1)', async () => {
  const steps = Array.from(
    { length: 40 },
    (_, at) => `type left${at} struct{ left${at + 1}; right${at + 1} }
type right${at} struct{ left${at + 1}; right${at + 1} }`,
  )
  const last = 'type left40 struct{}\ntype right40 struct{}\nfunc (l left40) Set(value string) error { return nil }'
  const setter = 'type setter interface{ Set(string) error }'
  const edges = await edgesOf({ 'a.go': ['package a', setter, ...steps, last].join('\n') }, 'implements')
  expect(edges.length).toBe(81)
}, 20_000)
