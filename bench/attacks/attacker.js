/** A process that attacks: what it does itself keeps nobody waiting whose time is measured. */
process.on(
  'message',
  async (/** @type {{ file: string, name: string, target: import('./requests.js').Target }} */ asked) => {
    const { [asked.name]: attack } = await import(`./${asked.file}.js`)
    process.send?.({ result: await attack(asked.target) })
  },
)
process.send?.({})
