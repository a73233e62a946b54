/** Asks at the terminal for an API key, without showing it. */
export async function askKey(): Promise<string> {
  const { password } = await import('@inquirer/prompts')
  return password({ message: 'API key (empty for none)', mask: true }, { output: process.stderr })
}
