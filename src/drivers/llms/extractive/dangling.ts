/** Beginnings that lean on the sentence before. */
const LEANING =
  /^(?:he|she|it|they|this|that|these|those|his|her|hers|its|their|theirs|such|however|therefore|thus|hence|but|and|so|also|then|instead|otherwise|both|neither|moreover|furthermore|besides|additionally|there|here|er|sie|es|dies|diese|dieser|dieses|dabei|dadurch|daher|deshalb|jedoch|außerdem|dort|il|elle|ils|elles|cela|ceci|cette|ces|celui-ci|celle-ci|cependant|ainsi|ello|esto|eso|este|esta|estos|estas|ellos|ellas|además|sin embargo|por eso|questo|questa|questi|queste|esso|essa|tuttavia|inoltre|ele|ela|eles|elas|isso|isto|contudo)(?![\p{L}\p{N}])/iu;

/** A clause whose subject is a pronoun, at the beginning: `If it …`. */
const CLAUSE =
  /^(?:if|when|while|once|because|as|although|though|since|unless|until|before|after|where)\s+(?:it|they|he|she|this|these|those)\s/i;
/** A sentence that begins with a circumstance, whose subject is a pronoun: `For a repair it …`. */
const CIRCUMSTANCE = /^(?:for|in|on|at|during|with|without|from|within|by|outside|under)\s[^.;:]{1,80}?[\p{L}\p{N}],?\s(?:it|they)\s/iu;

/** Whether a sentence names everything but what it is about, which the one before names. */
export const standsInFor = (sentence: string): boolean => CIRCUMSTANCE.test(sentence);

/** Whether a sentence cannot be understood without the one before: it begins with what points back, or its subject does. */
export const isDangling = (sentence: string): boolean => LEANING.test(sentence) || CLAUSE.test(sentence) || CIRCUMSTANCE.test(sentence);
