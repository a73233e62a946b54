import { expect, test } from 'vitest'
import { wordFor } from './shell-word.js'

test.each<[text: string, posix: string, windows: string]>([
  ['posts', 'posts', 'posts'],
  ['apps/web', 'apps/web', 'apps/web'],
  ['apps\\web', "'apps\\web'", 'apps\\web'],
  ['C:\\my notes', "'C:\\my notes'", '"C:\\my notes"'],
  ["it's", "'it'\\''s'", '"it\'s"'],
  ['say "hi"', '\'say "hi"\'', '"say ""hi"""'],
  ['a&b', "'a&b'", '"a&b"'],
  // PowerShell takes them for a list, and for a variable.
  ['a,b', 'a,b', '"a,b"'],
  ['@a', '@a', '"@a"'],
  ['', "''", '""'],
  // PowerShell evaluates them within double quotes, ends these at typographic ones, too, and leaves nothing of `$()`.
  ['$(calc) $HOME', "'$(calc) $HOME'", '"`$(calc) `$HOME"'],
  ['a`nb', "'a`nb'", '"a``nb"'],
  ['“a”; calc; „', "'“a”; calc; „'", '"`“a`”; calc; `„"'],
  // cmd.exe replaces variables within double quotes, with parts of them such as a quote, and ends at a line break.
  ['%PATH%', '%PATH%', '"%$()PATH%"'],
  ['%CMDCMDLINE:~0,1% & calc', "'%CMDCMDLINE:~0,1% & calc'", '"%$()CMDCMDLINE:~0,1%$() & calc"'],
  ['100%', '100%', '"100%"'],
  ['a\r\ncalc', "'a\r\ncalc'", '"a`r`ncalc"'],
])('%s is one word for a shell of Linux and macOS, and for those of Windows', (text, posix, windows) => {
  expect(wordFor('linux', text)).toBe(posix)
  expect(wordFor('win32', text)).toBe(windows)
})
