/** Characters of an answer that are kept. */
const lengthLimit = 2_000;

/** Reads up to 2,000 characters of a UTF-8 body, and ends the stream there. */
export async function readBeginning(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= lengthLimit) break;
  }
  // The limit can fall inside of a surrogate pair.
  return text.slice(0, lengthLimit).toWellFormed();
}
