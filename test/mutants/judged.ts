// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines of code.

/** A mutant that no test can kill, or that none needs to: it is not counted. */
export interface JudgedMutant {
  /** The file below `packages/core/src`. */
  readonly file: string;
  /** The line, without its indentation. */
  readonly line: string;
  /** The code and what it becomes, as `npm run mutate` prints them. */
  readonly change: string;
  /** The reason: what stays the same for everyone outside. */
  readonly why: string;
}

/** The mutants that survived and were judged one by one. The texts of messages are left out by `texts.ts`. */
export const judged: readonly JudgedMutant[] = [
  {
    file: "http/client-reader.ts",
    line: "const consequences: Readonly<Record<ProxyMistake, string>> = {",
    change:
      '{ header_ignored: "A request came through a proxy that the app does not know: its address is private or unknown, and the header of the " + "proxy was not used. All clients then share the limits of one address.", trusts_everybody: "The app believes the forwarded headers of everybody, so every client can choose its own address, " + "and limits by address stop nobody.", } → {}',
    why: "The texts of a warning.",
  },
  {
    file: "http/client-reader.ts",
    line: "const isRead = remoteAddress !== undefined && named.includes(remoteAddress) && !named.some(isPublicAddress);",
    change: "remoteAddress !== undefined → true",
    why: "No header names an absent address. Only the type needs the condition.",
  },
  {
    file: "login/request-sessions.ts",
    line: "return provenAt !== undefined && Math.abs(now - provenAt) <= withinSeconds * 1000;",
    change: "provenAt !== undefined → true",
    why: "Without a proof the age is NaN, which is within no limit. Only the type needs the condition.",
  },
  {
    file: "http/login-body.ts",
    line: "const member = issue?.path.join();",
    change: "issue?.path → issue.path",
    why: "A wrong body has an issue. Only the type allows none.",
  },
  {
    file: "http/login-body.ts",
    line: 'const expected = issue?.code === "too_big" ? issue.message : "must be a string";',
    change: "issue?.code → issue.code",
    why: "A wrong body has an issue. Only the type allows none.",
  },
  {
    file: "http/login-handlers.ts",
    line: "const state = await readLoginState(deps, { purpose, id: undefined }, sessions.current);",
    change: "{ purpose, id: undefined } → {}",
    why: "Without an id there is no login to read, of any purpose.",
  },
  {
    file: "http/login-mount.ts",
    line: 'body = await readLoginBody(request, format ?? "none", login.clock);',
    change: '"none" → ""',
    why: "A POST of an unknown format was refused before. Only the type needs the default.",
  },
  {
    file: "http/same-origin.ts",
    line: 'if (typeof origin === "string" && allows(origins, origin, request)) return true;',
    change: 'typeof origin === "string" → true',
    why: "No origin is in no list and is no URL. Adapters give one text; a list with one origin would be read as its text.",
  },
  {
    file: "login/ask-before-send.ts",
    line: 'const signals = await callApp("phoneLogin.signals", readSignals);',
    change: '"phoneLogin.signals" → ""',
    why: "A name in the message of an error for the app's developer.",
  },
  {
    file: "login/ask-before-send.ts",
    line: 'return callApp("login.beforeSend", () => callbacks.beforeSend?.({ ...context, signals, signal }));',
    change: '"login.beforeSend" → ""',
    why: "A name in the message of an error for the app's developer.",
  },
  {
    file: "login/ask-before-send.ts",
    line: 'return callApp("login.beforeSend", () => callbacks.beforeSend?.({ ...context, signals, signal }));',
    change:
      "callbacks.beforeSend?.({ ...context, signals, signal }) → callbacks.beforeSend({ ...context, signals, signal })",
    why: "An app without the function is not asked. Only the type allows none.",
  },
  {
    file: "login/ask-before-send.ts",
    line: 'if (beforeSendFails === "open") return { action: "allow", trusts: false };',
    change: '{ action: "allow", trusts: false } → {}',
    why: "The caller compares with what is not allowed, so an empty answer allows without trust.",
  },
  {
    file: "login/ask-before-send.ts",
    line: 'if (beforeSendFails === "open") return { action: "allow", trusts: false };',
    change: '"allow" → ""',
    why: "The caller compares with what is not allowed.",
  },
  {
    file: "login/count-attempt.ts",
    line: "...(retryAfterSeconds !== undefined && { retryAfterSeconds }),",
    change: "retryAfterSeconds !== undefined → true",
    why: "An absent and an undefined member are the same to the error. Only the type tells them apart.",
  },
  {
    file: "login/count-attempt.ts",
    line: "const owner = { phoneFingerprint: keys.fingerprint(phone), knownDevice: login?.knownDevice };",
    change: "login?.knownDevice → login.knownDevice",
    why: "A browser learns of its login when it was counted. Only the type allows a login that was not.",
  },
  {
    file: "http/carriers.ts",
    line: "return id !== undefined && randomTextForm.test(id) ? id : undefined;",
    change: "id !== undefined → true",
    why: 'The text "undefined" is no id either. Only the type needs the condition.',
  },
  {
    file: "login/device.ts",
    line: 'return hash("sha256", id, "base64url").slice(0, 22);',
    change: 'hash("sha256", id, "base64url").slice(0, 22) → hash("sha256", id, "base64url")',
    why: "A longer digest names the same device; it only takes more room in the store.",
  },
  {
    file: "login/login-event.ts",
    line: "const country = counted?.country ?? parseE164(phone)?.country;",
    change: "parseE164(phone)?.country → parseE164(phone).country",
    why: "The number of a transaction was parsed before. Only the type allows one that cannot be.",
  },
  {
    file: "login/login-event.ts",
    line: "publish(country === undefined ? named : { ...named, country });",
    change: "country === undefined → false",
    why: "The number of a transaction has a country. Only the type allows none.",
  },
  {
    file: "login/number-types.ts",
    line: '`${channels.join(", ")}.`,',
    change: '", " → ""',
    why: "The text of a message.",
  },
  {
    file: "login/number-types.ts",
    line: 'const example = \'{ SMS: ["MOBILE"], VOICE: ["MOBILE", "FIXED_LINE"] }\';',
    change: '\'{ SMS: ["MOBILE"], VOICE: ["MOBILE", "FIXED_LINE"] }\' → ""',
    why: "The text of a message.",
  },
  {
    file: "login/permit-send.ts",
    line: 'return "refusal" in limited ? limited : { ...limited, isSuppressed: false };',
    change: '"refusal" → ""',
    why: "A refusal with one member more is the same refusal.",
  },
  {
    file: "login/permit-send.ts",
    line: 'return refuse("refused", error, "nothing");',
    change: '"nothing" → ""',
    why: "Everything but the client's count is taken back, whatever else is named.",
  },
  {
    file: "codes/suppressed-codes.ts",
    line: "if (remembered.length > maxRemembered) remembered.shift();",
    change: "remembered.length > maxRemembered → remembered.length >= maxRemembered",
    why: "49 durations are as good as 50.",
  },
  {
    file: "login/test-numbers.ts",
    line: 'const example = \'{ "+4915100000001": "123456" }\';',
    change: '\'{ "+4915100000001": "123456" }\' → ""',
    why: "The text of a message.",
  },
  {
    file: "login/test-numbers.ts",
    line: '`{ numbers: ${example}, until: "2027-01-31" }`,',
    change: '`{ numbers: ${example}, until: "2027-01-31" }` → ``',
    why: "The text of a message.",
  },
  {
    file: "login/test-numbers.ts",
    line: "if (lastDayAt > clock.now() + maxDays * dayMilliseconds) {",
    change:
      "lastDayAt > clock.now() + maxDays * dayMilliseconds → lastDayAt >= clock.now() + maxDays * dayMilliseconds",
    why: "One millisecond of a year.",
  },
  {
    file: "login/test-numbers.ts",
    line: "if (isDoorcodeError(error)) return error.code;",
    change: "isDoorcodeError(error) → true",
    why: "No other error is known. It would be a fault of the kit, and is thrown on for its stack.",
  },
  {
    file: "login/confirm.ts",
    line: 'if (checked.status === "fulfilled" && checked.value === "right") return "right";',
    change: 'checked.status === "fulfilled" → true',
    why: "A rejection has no value, so it is not right either.",
  },
  {
    file: "codes/app-codes.ts",
    line: 'if (right === undefined) return "ended";',
    change: '"ended" → ""',
    why: "Every result but right, wrong, exhausted and expired ends the login.",
  },
  {
    file: "login/callbacks.ts",
    line: 'return userIdOf("onLogin", await callApp("login.onLogin", () => callbacks.onLogin?.(proof, { signal })));',
    change: "callbacks.onLogin?.(proof, { signal }) → callbacks.onLogin(proof, { signal })",
    why: "A mount whose callback is missing is refused. Only the type allows it.",
  },
  {
    file: "login/callbacks.ts",
    line: 'if (purpose === "step_up" || !session) return session?.userId;',
    change: "session?.userId → session.userId",
    why: "A link and a step-up have a session. Only the type allows none.",
  },
  {
    file: "login/callbacks.ts",
    line: 'const userId = userIdOf("onLink", await callApp("login.onLink", () => deps.callbacks.onLink?.(link, { signal })));',
    change: "deps.callbacks.onLink?.(link, { signal }) → deps.callbacks.onLink(link, { signal })",
    why: "A mount whose callback is missing is refused. Only the type allows it.",
  },
  {
    file: "login/callbacks.ts",
    line: 'return callAppInTime("login.phoneOf", clock, () => callbacks.phoneOf?.(userId));',
    change: "callbacks.phoneOf?.(userId) → callbacks.phoneOf(userId)",
    why: "A mount whose callback is missing is refused. Only the type allows it.",
  },
  {
    file: "login/code-sent-state.ts",
    line: 'if ("absent" in open || named.id === undefined) return undefined;',
    change: "named.id === undefined → false",
    why: "Without an id the login is absent. Only the type needs the condition.",
  },
  {
    file: "login/code-sent-state.ts",
    line: "return messageId === undefined ? [] : [messageEntityKey(name, messageId)];",
    change: "messageId === undefined → false",
    why: "No delivery is stored under an absent id.",
  },
  {
    file: "login/code-sent-state.ts",
    line: "const deliveryKeys = deps.suppresses ? [] : deliveryKeysOf(deps.name, transaction);",
    change: '[] → ["Stryker was here"]',
    why: "No delivery is stored under another key.",
  },
  {
    file: "login/finish-login.ts",
    line: "const isDone = await leased.release({ ...transaction, done: true }).catch(async (error: unknown) => {",
    change: "{ ...transaction, done: true } → {}",
    why: "A record that cannot be read is no login, like one that is done.",
  },
  {
    file: "login/resend.ts",
    line: "sends: current.sends + 1,",
    change: "current.sends + 1 → current.sends - 1",
    why: "Numbers of sends are only compared for equality, and each send has its own either way.",
  },
  {
    file: "login/send-code.ts",
    line: 'const outcome = error.outcome ?? "unknown";',
    change: '"unknown" → ""',
    why: "Only the outcome `refused` is told apart from any other.",
  },
  {
    file: "codes/service-codes.ts",
    line: 'if (verificationId === undefined) return "ended";',
    change: '"ended" → ""',
    why: "Every result but right, wrong, exhausted and expired ends the login.",
  },
  {
    file: "codes/service-codes.ts",
    line: "if (!isDoorcodeError(error)) throw error;",
    change: "!isDoorcodeError(error) → false",
    why: "An error without a code of the service is thrown on by the last case, too.",
  },
  {
    file: "codes/service-codes.ts",
    line: 'return "ended";',
    change: '"ended" → ""',
    why: "Every result but right, wrong, exhausted and expired ends the login.",
  },
  {
    file: "login/start.ts",
    line: "if (replaces !== undefined) {",
    change: "replaces !== undefined → true",
    why: "Without an id no login is under way. Only the type needs the condition.",
  },
  {
    file: "login/transaction-store.ts",
    line: 'if (id === undefined) return { absent: "unnamed" };',
    change: '"unnamed" → ""',
    why: "Every reason but `expired` and `unknown` is a missing cookie.",
  },
  {
    file: "session/sealed-session.ts",
    line: 'const [newest = ""] = passwords;',
    change: '"" → "Stryker was here!"',
    why: "The options refuse an empty list of passwords. Only the type allows none.",
  },
  {
    file: "session/sealed-session.ts",
    line: "unseal: (text) => (text.length > maxTextCharacters ? undefined : open(text)),",
    change: "text.length > maxTextCharacters → text.length >= maxTextCharacters",
    why: "A seal grows in steps: none has 4,096 characters, only 4,092 or 4,113.",
  },
  {
    file: "session/session-entries.ts",
    line: "const place = counted?.count ?? 0;",
    change: "counted?.count → counted.count",
    why: "The store answers every change of a counter. Only the type allows a missing answer.",
  },
  {
    file: "session/session-entries.ts",
    line: "place > maxListed && removeListed(userId, place - maxListed),",
    change: "place > maxListed → place >= maxListed",
    why: "Places are counted from 1: none is 0, so nothing is found there.",
  },
  {
    file: "session/session-entries.ts",
    line: "store.increment([{ key: keys.count(userId), by: 0, ttlSeconds: maxLifetimeSeconds + 60 }]),",
    change: "maxLifetimeSeconds + 60 → maxLifetimeSeconds - 60",
    why: "A counter that is only read keeps its lifetime.",
  },
  {
    file: "session/session-entries.ts",
    line: "const newest = counted?.count ?? 0;",
    change: "counted?.count → counted.count",
    why: "The store answers every change of a counter. Only the type allows a missing answer.",
  },
  {
    file: "session/session-entries.ts",
    line: "const sessionIds = listed.filter((sessionId) => sessionId !== undefined);",
    change: "listed.filter((sessionId) => sessionId !== undefined) → listed",
    why: "No session is found under an absent id. Only the type needs the filter.",
  },
  {
    file: "session/session-entries.ts",
    line: "const sessionIds = listed.filter((sessionId) => sessionId !== undefined);",
    change: "sessionId !== undefined → true",
    why: "No session is found under an absent id. Only the type needs the filter.",
  },
  {
    file: "session/session-entries.ts",
    line: "if (sessionId !== undefined) await remove(sessionId);",
    change: "sessionId !== undefined → true",
    why: "There is no session to remove under an absent id. Only the type needs the condition.",
  },
  {
    file: "store/entries.ts",
    line: "while (left > 0) {",
    change: "left > 0 → left >= 0",
    why: "One step more of a sweep is only work.",
  },
  {
    file: "store/entries.ts",
    line: "if (map.size * 2 > maxEntries) map.delete(key);",
    change: "map.size * 2 > maxEntries → map.size * 2 >= maxEntries",
    why: "Both ways delete. At exactly half the table either will do.",
  },
  {
    file: "store/entries.ts",
    line: "let left = now < table.earliestEnd ? 1 : steps;",
    change: "now < table.earliestEnd → false",
    why: "More steps of a sweep that finds nothing are only work.",
  },
  {
    file: "store/entries.ts",
    line: "else if (expiresAt < table.earliestEndOfPass) table.earliestEndOfPass = expiresAt;",
    change: "expiresAt < table.earliestEndOfPass → expiresAt <= table.earliestEndOfPass",
    why: "Writes what is there.",
  },
  {
    file: "store/entries.ts",
    line: "if (expiresAt < table.earliestEnd) table.earliestEnd = expiresAt;",
    change: "expiresAt < table.earliestEnd → expiresAt <= table.earliestEnd",
    why: "Writes what is there.",
  },
  {
    file: "store/entries.ts",
    line: "if (expiresAt < table.earliestEndOfPass) table.earliestEndOfPass = expiresAt;",
    change: "expiresAt < table.earliestEndOfPass → expiresAt <= table.earliestEndOfPass",
    why: "Writes what is there.",
  },
  {
    file: "store/entries.ts",
    line: "sweep(map.size + 1, now);",
    change: "map.size + 1 → map.size - 1",
    why: "The sweep of eight steps before it makes up for the missing two.",
  },
  {
    file: "store/entries.ts",
    line: 'throw new DoorcodeError("store_unavailable", { message });',
    change: "{ message } → {}",
    why: "The text of a message.",
  },
  {
    file: "store/held-lease.ts",
    line: "if (found.held) await store.settle(key, token, found.value, options);",
    change: "found.held → true",
    why: "The store refuses a settle without the lease.",
  },
  {
    file: "store/memory.ts",
    line: "const creates = found === undefined && by > 0;",
    change: "found === undefined → true",
    why: "A counter that exists changes by the next condition as well.",
  },
  {
    file: "store/record.ts",
    line: "if (!text) return undefined;",
    change: "!text → false",
    why: "JSON.parse refuses both, and the result is the same.",
  },
  {
    file: "store/record.ts",
    line: "} catch {",
    change: "{ return undefined; } → {}",
    why: "A function without a return returns undefined.",
  },
  {
    file: "webhook/entity.ts",
    line: 'return event.kind === "verification.update" ? event.data.verification_id : undefined;',
    change: 'event.kind === "verification.update" → true',
    why: "An event of an unknown kind has no rank, so its key is its own whatever its data has. Only the type needs the condition.",
  },
  {
    file: "webhook/event-key.ts",
    line: "return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));",
    change: "left < right → left <= right",
    why: "No two members of an object have the same name.",
  },
  {
    file: "webhook/instant.ts",
    line: 'const [, digits, fraction = ""] = epochForm.exec(text) ?? [];',
    change: '[] → ["Stryker was here"]',
    why: "The first member is not read.",
  },
  {
    file: "webhook/instant.ts",
    line: 'const [seconds = "", fraction = ""] = rank.split(".");',
    change: '"" → "Stryker was here!"',
    why: "A rank always has both parts. Only the type allows a missing one.",
  },
  {
    file: "webhook/handlers.ts",
    line: 'case "message.status.update":',
    change:
      'case "message.status.update": return handlers[event.kind]?.(event, context); → case "message.status.update":',
    why: "The next case calls the handler of the event's kind, too. Only the type needs a case for each.",
  },
  {
    file: "webhook/handlers.ts",
    line: 'case "verification.update":',
    change: 'case "verification.update": return handlers[event.kind]?.(event, context); → case "verification.update":',
    why: "The next case calls the handler of the event's kind, too. Only the type needs a case for each.",
  },
  {
    file: "webhook/parse-event.ts",
    line: "} catch {",
    change: "{ return undefined; } → {}",
    why: "A function without a return returns undefined.",
  },
  {
    file: "webhook/reconcile.ts",
    line: 'if ("unreadable" in event || event.kind !== "message.status.update") return [];',
    change: '"unreadable" → ""',
    why: "A listed record is an object, so its event is readable. Only the type needs the condition.",
  },
  {
    file: "webhook/reconcile.ts",
    line: "return left.rank < right.rank ? -1 : 1;",
    change: "left.rank < right.rank → left.rank <= right.rank",
    why: "Changes of one instant have no order.",
  },
  {
    file: "webhook/signature.ts",
    line: 'return secrets.map((secret) => createSecretKey(secret, "utf8"));',
    change: '"utf8" → ""',
    why: "Node encodes a text as UTF-8 if the encoding is empty.",
  },
  {
    file: "webhook/keyed-queue.ts",
    line: "const index = queue?.indexOf(this) ?? -1;",
    change: "-1 → +1",
    why: "Without a queue the next line returns.",
  },
  {
    file: "webhook/keyed-queue.ts",
    line: "if (first) first.#begin?.();",
    change: "first → true",
    why: "A queue of two or more has a first place when one is left. Only the type needs the condition.",
  },
  {
    file: "store/held-lease.ts",
    line: "if (tokens % tokensPerRandomText === 0) randomText = randomUUID();",
    change: "tokens % tokensPerRandomText === 0 → true",
    why: "A random text for each token is only work.",
  },
  {
    file: "store/held-lease.ts",
    line: "if (tokens % tokensPerRandomText === 0) randomText = randomUUID();",
    change: "tokens % tokensPerRandomText → tokens * tokensPerRandomText",
    why: "One random text for all tokens of a process tells them apart, too.",
  },
  {
    file: "store/held-lease.ts",
    line: "tokens += 1;",
    change: "tokens += 1 → tokens -= 1",
    why: "Numbers that count down tell tokens apart, too.",
  },
  {
    file: "store/held-lease.ts",
    line: 'let randomText = "";',
    change: '"" → "Stryker was here!"',
    why: "The first token writes it.",
  },
  {
    file: "webhook/process-event.ts",
    line: 'if (options.maxAhead !== undefined && queue.size(key) > options.maxAhead) return { outcome: "unfinished" };',
    change: "options.maxAhead !== undefined → true",
    why: "No number is more than undefined. Only the type needs the condition.",
  },
  {
    file: "webhook/process-event.ts",
    line: "if (place.turn) await Promise.race([place.turn, options.late]);",
    change: "place.turn → true",
    why: "A race with what is no promise is over at once.",
  },
  {
    file: "session/known-texts.ts",
    line: "const digest = text.slice(-digestCharacters);",
    change: "text.slice(-digestCharacters) → text",
    why: "The whole text is compared afterwards.",
  },
  {
    file: "session/known-texts.ts",
    line: "const digest = text.slice(-digestCharacters);",
    change: "-digestCharacters → +digestCharacters",
    why: "The whole text is compared afterwards.",
  },
];
